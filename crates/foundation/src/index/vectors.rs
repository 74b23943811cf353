//! Vectors: one table per dimension.

use db::DbError;
use pgvector::{HalfVector, Vector};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, Postgres, Type};

/// Where the vectors of one kind of text are kept.
#[derive(Clone, Copy, Debug)]
pub struct Vectors {
    pub of_384: VectorTable,
    pub of_1536: VectorTable,
}

impl Vectors {
    /// The table of one dimension.
    ///
    /// # Errors
    /// `Inconsistent` for a dimension that no table has.
    pub fn of(self, dimension: usize) -> Result<VectorTable, DbError> {
        match dimension {
            384 => Ok(self.of_384),
            1536 => Ok(self.of_1536),
            other => {
                let reason = "no table holds it".into();
                Err(DbError::Inconsistent { table: "models", column: "dimension", row: other.to_string(), reason })
            }
        }
    }
}

/// Where vectors of one dimension are kept.
#[derive(Clone, Copy, Debug)]
pub struct VectorTable {
    pub table: &'static str,
    /// The column that a search compares: of half vectors, or of whole ones.
    pub column: &'static str,
}

impl VectorTable {
    /// Whether that column holds half vectors.
    pub fn is_half(self) -> bool {
        self.column == "half"
    }

    /// A vector as the column rounds it.
    pub fn as_stored(self, vector: &[f32]) -> Vec<f32> {
        if self.is_half() { HalfVector::from_f32_slice(vector).to_vec().into_iter().map(f32::from).collect() } else { vector.to_vec() }
    }

    /// The other operand: a vector in the type of the column.
    pub fn operand(self, vector: &[f32]) -> Operand {
        if self.is_half() { Operand::Half(HalfVector::from_f32_slice(vector)) } else { Operand::Full(Vector::from(vector.to_vec())) }
    }
}

/// A vector in the type of the column that it is compared with.
pub enum Operand {
    Half(HalfVector),
    Full(Vector),
}

impl Type<Postgres> for Operand {
    fn type_info() -> PgTypeInfo {
        Vector::type_info()
    }
}

impl Encode<'_, Postgres> for Operand {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match self {
            Self::Half(vector) => vector.encode_by_ref(buffer),
            Self::Full(vector) => vector.encode_by_ref(buffer),
        }
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(match self {
            Self::Half(_) => HalfVector::type_info(),
            Self::Full(_) => Vector::type_info(),
        })
    }
}
