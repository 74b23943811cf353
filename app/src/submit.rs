//! How a form passes through a server function.

use crate::{
    ConsoleError, Flash,
    guard::{finish, operator},
    query::Query,
};
use foundation::{Engine, OpContext};

/// The pages to which a form leads: one for both, or a pair.
pub struct Targets<'a> {
    done: &'a str,
    /// The page that shows the form again if it is refused.
    form: &'a str,
}

impl<'a, P: AsRef<str> + ?Sized> From<&'a P> for Targets<'a> {
    fn from(page: &'a P) -> Self {
        Self { done: page.as_ref(), form: page.as_ref() }
    }
}

impl<'a, P: AsRef<str> + ?Sized> From<(&'a str, &'a P)> for Targets<'a> {
    fn from((done, form): (&'a str, &'a P)) -> Self {
        Self { done, form: form.as_ref() }
    }
}

/// Runs `verb` as the signed-in operator, then redirects with its message. A refused form keeps what was `typed`.
pub async fn submit<F>(to: impl Into<Targets<'_>>, typed: Query, verb: impl FnOnce(Engine, OpContext) -> F) -> Result<(), ConsoleError>
where
    F: Future<Output = Result<Flash, ConsoleError>>,
{
    let Targets { done, form } = to.into();
    let result = match operator().await {
        Ok((engine, ctx)) => verb(engine, ctx).await,
        Err(error) => Err(error),
    };
    finish(result, done, form, &typed.href("")).await
}
