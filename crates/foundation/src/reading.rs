//! What people read in the console, which a replica may answer.

use crate::error::Error;
use crate::op::OpContext;
use db::{Database, Planned, Tx};

impl OpContext {
    /// Reads one snapshot of a database: on its replica if there is one and the operation may lag, otherwise on the primary. `read` works with
    /// the transaction alone; if the replica breaks it off, it runs again on the primary.
    ///
    /// # Errors
    /// Those of `read`, and when the primary has to be read and is out of reach.
    pub async fn read<T, F>(&self, database: &Database, planned: Planned, read: impl Fn(Tx) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        if self.may_lag
            && let Some(tx) = database.begin_on_replica(self.tenancy(), planned).await
        {
            match read(tx).await {
                Err(Error::Db(error)) if database.blames_replica(&error) => {}
                result => return result,
            }
        }
        read(database.begin_planned(self.tenancy(), planned).await?).await
    }
}
