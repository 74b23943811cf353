//! The attribute of a verb of the engine.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Compiles a verb once, in its own crate, and opens a span that names the tenant and the actor of its `ctx`.
///
/// The body of an `async fn` is compiled again in every crate that awaits it; a boxed one is not. `#[verb(role = Viewer)]` first demands
/// that role of the operator, `#[verb(scope = KbRead)]` that scope of the API key. `#[verb(ids = ids.len())]` records more in the span:
/// counts, never content; it comes after the right. Its crate depends on `async-recursion`, `tracing` and `wire`.
#[proc_macro_attribute]
pub fn verb(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let arguments: Vec<TokenTree> = arguments.into_iter().collect();
    let (check, fields) = match &arguments[..] {
        [TokenTree::Ident(kind), TokenTree::Punct(_), TokenTree::Ident(role), rest @ ..] if kind.to_string() == "role" => {
            (format!("ctx.require_role(::wire::OperatorRole::{role})?;"), rest)
        }
        [TokenTree::Ident(kind), TokenTree::Punct(_), TokenTree::Ident(scope), rest @ ..] if kind.to_string() == "scope" => {
            (format!("ctx.require(::wire::KeyScope::{scope})?;"), rest)
        }
        fields => (String::new(), fields),
    };
    let fields: TokenStream = fields.iter().skip_while(|token| token.to_string() == ",").cloned().collect();
    let attributes = format!(
        "#[::async_recursion::async_recursion] \
         #[::tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, {fields}))]"
    );
    match (attributes.parse::<TokenStream>(), check.parse::<TokenStream>()) {
        (Ok(attributes), Ok(check)) => attributes.into_iter().chain(begin_with(check, function)).collect(),
        (Err(error), _) | (_, Err(error)) => format!("compile_error!({:?});", error.to_string()).parse().unwrap_or_default(),
    }
}

/// The function with statements at the beginning of its body.
fn begin_with(mut statements: TokenStream, function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut() {
        let span = body.span();
        statements.extend(body.stream());
        *body = Group::new(Delimiter::Brace, statements);
        body.set_span(span);
    }
    tokens.into_iter().collect()
}
