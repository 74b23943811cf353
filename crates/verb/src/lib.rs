//! The attribute of a verb of the engine.

use proc_macro::TokenStream;

/// Compiles a verb once, in its own crate, and opens a span that names the tenant and the actor of its `ctx`.
///
/// The body of an `async fn` is compiled again in every crate that awaits it; a boxed one is not. `#[verb(ids = ids.len())]` records more
/// in the span: counts, never content. Its crate depends on `async-recursion` and `tracing`.
#[proc_macro_attribute]
pub fn verb(fields: TokenStream, function: TokenStream) -> TokenStream {
    let attributes = format!(
        "#[::async_recursion::async_recursion] \
         #[::tracing::instrument(skip_all, fields(tenant = %ctx.tenant_id, actor = %ctx.actor, {fields}))]"
    );
    match attributes.parse::<TokenStream>() {
        Ok(attributes) => attributes.into_iter().chain(function).collect(),
        Err(error) => format!("compile_error!({:?});", error.to_string()).parse().unwrap_or_default(),
    }
}
