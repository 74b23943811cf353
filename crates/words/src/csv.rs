//! Lines of CSV for people, who open them in a spreadsheet.

use super::marks::{ends_line, visible};

/// What begins a formula in a spreadsheet.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A line of CSV (RFC 4180). A spreadsheet would compute a cell that begins like a formula, and some take each line of a cell for a cell of its
/// own, so such a line gets an apostrophe. Hidden characters are shown by their names.
///
/// # Errors
/// Never for a line in memory; the writer's own error.
pub fn csv_line(cells: &[String]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(vec![]);
    writer.write_record(cells.iter().map(|cell| plain(&visible(cell))))?;
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// A cell none of whose lines begins like a formula.
fn plain(cell: &str) -> String {
    let line = |line: &str| if line.starts_with(FORMULA) { format!("'{line}") } else { line.to_owned() };
    cell.split_inclusive(ends_line).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{FORMULA, csv_line};
    use crate::marks::ends_line;

    #[test]
    fn a_cell_is_no_formula_and_keeps_its_text() {
        let cells = ["=1+1".to_owned(), "said \"no\", twice".to_owned(), "two\nlines".to_owned(), "plain".to_owned()];
        assert_eq!(String::from_utf8(csv_line(&cells).unwrap()).unwrap(), "'=1+1,\"said \"\"no\"\", twice\",\"two\nlines\",plain\r\n");
    }

    #[test]
    fn no_line_of_a_cell_is_a_formula() {
        for start in ["=", "+", "-", "@", "\t", "\r"] {
            for end in ["", "a\n", "a\r\n", "a\r", "a\n\n", "a\u{85}", "a\u{2028}"] {
                let line = csv_line(&[format!("{end}{start}1+1")]).unwrap();
                let cell = String::from_utf8(line).unwrap();
                let cell = cell.trim_end_matches("\r\n").trim_matches('"');
                assert!(cell.split(ends_line).all(|line| !line.starts_with(FORMULA)), "{cell:?}");
            }
        }
        assert_eq!(csv_line(&["gpj\u{202e}".into()]).unwrap(), "gpj⟦RLO⟧\r\n".as_bytes());
    }
}
