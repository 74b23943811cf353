//! The messages of the ONNX format that a graph is written with: the part of onnx.proto that an encoder needs, with its field numbers.

use prost::Message;

/// The version of the format.
pub const FORMAT: i64 = 8;
/// The version of the standard operators.
pub const OPERATORS: i64 = 17;
/// The domain of ONNX Runtime's own operators.
pub const RUNTIME: &str = "com.microsoft";

/// The type of a tensor's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
#[repr(i32)]
pub enum Kind {
    Undefined = 0,
    F32 = 1,
    I8 = 3,
    I32 = 6,
    I64 = 7,
}

#[derive(Clone, PartialEq, Message)]
pub struct Model {
    #[prost(int64, tag = "1")]
    pub format: i64,
    #[prost(message, optional, tag = "7")]
    pub graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub operators: Vec<Operators>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Operators {
    #[prost(string, tag = "1")]
    pub domain: String,
    #[prost(int64, tag = "2")]
    pub version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub nodes: Vec<Node>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(message, repeated, tag = "5")]
    pub tensors: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub inputs: Vec<Value>,
    #[prost(message, repeated, tag = "12")]
    pub outputs: Vec<Value>,
}

/// One operation.
#[derive(Clone, PartialEq, Message)]
pub struct Node {
    #[prost(string, repeated, tag = "1")]
    pub inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub outputs: Vec<String>,
    #[prost(string, tag = "3")]
    pub name: String,
    #[prost(string, tag = "4")]
    pub operator: String,
    #[prost(message, repeated, tag = "5")]
    pub attributes: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(float, optional, tag = "2")]
    pub real: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub integer: Option<i64>,
    /// 1 for a real number, 2 for an integer.
    #[prost(int32, tag = "20")]
    pub kind: i32,
}

/// Numbers that do not change: in `bytes`, or in a file beside the graph.
#[derive(Clone, PartialEq, Message)]
pub struct Tensor {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub shape: Vec<i64>,
    #[prost(enumeration = "Kind", tag = "2")]
    pub kind: i32,
    #[prost(string, tag = "8")]
    pub name: String,
    #[prost(bytes = "vec", optional, tag = "9")]
    pub bytes: Option<Vec<u8>>,
    #[prost(message, repeated, tag = "13")]
    pub place: Vec<Entry>,
    /// 1 if `place` names a file.
    #[prost(int32, tag = "14")]
    pub is_outside: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub value: String,
}

/// An input or an output.
#[derive(Clone, PartialEq, Message)]
pub struct Value {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(message, optional, tag = "2")]
    pub of: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Type {
    #[prost(message, optional, tag = "1")]
    pub tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorType {
    #[prost(enumeration = "Kind", tag = "1")]
    pub kind: i32,
    #[prost(message, optional, tag = "2")]
    pub shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub sizes: Vec<Size>,
}

/// A size is a number or, where it differs from run to run, a name.
#[derive(Clone, PartialEq, Message)]
pub struct Size {
    #[prost(int64, optional, tag = "1")]
    pub number: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
}
