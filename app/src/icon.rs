use crate::islands::icon;
pub use crate::islands::icon::Icon;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Overview,
    Agents,
    Memories,
    People,
    Vocabulary,
    Audit,
    Copy,
    Menu,
    Search,
    Filter,
    Close,
    Alert,
    Done,
    Previous,
    Next,
    Delete,
    Edit,
    Restore,
    SignOut,
    Knowledge,
    Health,
    Playground,
    Diagnose,
    Log,
    Context,
    Add,
    Inbox,
    Sources,
    Events,
    Usage,
    Projects,
}

impl Shape {
    fn path(self) -> &'static str {
        match self {
            Self::Agents => "M8 7.25a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM2.75 14.25c.4-2.8 2.5-4.25 5.25-4.25s4.85 1.45 5.25 4.25",
            Self::Usage => "M2.75 13.25h10.5M4.5 13.25v-4h1.75v4M7.25 13.25v-7h1.75v7M10 13.25V2.75h1.75v10.5",
            Self::Overview => "M2.75 2.75h4.5v4.5h-4.5zM9.25 2.75h4v4.5h-4zM2.75 9.25h4.5v4h-4.5zM9.25 9.25h4v4h-4z",
            Self::Memories => "M3.25 2.75h9.5v10.5h-9.5zM5.75 5.75h4.5M5.75 8h4.5M5.75 10.25h2.5",
            Self::People => {
                "M6 7.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM1.75 13.25c0-2.4 1.9-4 4.25-4s4.25 1.6 4.25 4M10.5 2.9a2.2 2.2 0 0 1 0 4.2M11.75 9.5c1.5.45 2.5 1.85 2.5 3.75"
            }
            Self::Vocabulary => "M2.75 2.75h5L13.5 8.5l-5 5L2.75 7.75zM5.5 5.5v.1",
            Self::Audit => "M8 4.5V8l2.25 1.5M2.25 8a5.75 5.75 0 1 0 1.7-4.08L2.25 5.6M2.25 2.5v3.1h3.1",
            Self::Copy => icon::COPY,
            Self::Menu => "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
            Self::Search => "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2",
            Self::Filter => "M2.5 4.5h11M4.75 8h6.5M6.75 11.5h2.5",
            Self::Close => icon::CLOSE,
            Self::Alert => "M8 2 1.75 13.25h12.5zM8 6.5v3M8 11.4v.1",
            Self::Done => "m3 8.5 3.25 3.25L13 5",
            Self::Previous => "M10 3.5 5.5 8l4.5 4.5",
            Self::Next => "M6 3.5 10.5 8 6 12.5",
            Self::Delete => "M2.75 4.25h10.5M6 4.25V2.5h4v1.75M4 4.25l.6 9.25h6.8l.6-9.25M6.75 7v3.75M9.25 7v3.75",
            Self::Edit => "m2.75 13.25.75-3 7.5-7.5 2.25 2.25-7.5 7.5zM9.5 4.25l2.25 2.25",
            Self::Restore => "M2.75 6.5h7a3.25 3.25 0 0 1 0 6.5H6M2.75 6.5l3-3M2.75 6.5l3 3",
            Self::SignOut => "M6.25 2.75h-3.5v10.5h3.5M10.25 5l3 3-3 3M13.25 8h-7",
            Self::Knowledge => "M8 4.25c-1.3-1-3-1.5-5.75-1.5v9.5c2.75 0 4.45.5 5.75 1.5 1.3-1 3-1.5 5.75-1.5v-9.5q-4 0-5.75 1.5v9.5",
            Self::Health => "M1.75 8.5h3l2-5.5 3 10 1.75-4.5h2.75",
            Self::Diagnose => "M5 2.75v10.5M11 2.75v10.5M1.75 8h1.5M6.75 8h2.5M12.75 8h1.5",
            Self::Log => "M2.75 3.75h.1M5.5 3.75h7.75M2.75 8h.1M5.5 8h7.75M2.75 12.25h.1M5.5 12.25h7.75",
            Self::Context => "M2.75 2.75h10.5v2.5H2.75zM2.75 7.75h10.5v5.5H2.75zM2.75 10.5h10.5",
            Self::Add => "M8 3v10M3 8h10",
            Self::Inbox => "M2.25 9.5v3.25h11.5V9.5h-3.25c0 1.1-1.1 1.9-2.5 1.9s-2.5-.8-2.5-1.9zM8 2.25V7M5.75 5 8 7.25 10.25 5",
            Self::Sources => icon::SOURCES,
            Self::Projects => "M2.25 12.75v-9h4l1.5 1.75h6v7.25z",
            Self::Events => "M8.75 1.75 3.5 9h4L7 14.25 12.5 7h-4z",
            Self::Playground => "M6.25 2.25h3.5M7 2.25v4l-4.25 7.5h10.5L9 6.25v-4M4.75 10.25h6.5",
        }
    }
}

impl From<Shape> for &'static str {
    fn from(shape: Shape) -> Self {
        shape.path()
    }
}
