//! Lines of CSV for people, who open them in a spreadsheet.

/// A line of CSV (RFC 4180). A spreadsheet would compute a cell that begins like a formula, so such a cell gets an apostrophe.
///
/// # Errors
/// Never for a line in memory; the writer's own error.
pub fn csv_line(cells: &[String]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(vec![]);
    let safe = cells.iter().map(|cell| match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{cell}"),
        false => cell.clone(),
    });
    writer.write_record(safe)?;
    writer.into_inner().map_err(|error| error.into_error().into())
}

#[cfg(test)]
mod tests {
    use super::csv_line;

    #[test]
    fn a_cell_is_no_formula_and_keeps_its_text() {
        let cells = ["=1+1".to_owned(), "said \"no\", twice".to_owned(), "two\nlines".to_owned(), "plain".to_owned()];
        assert_eq!(String::from_utf8(csv_line(&cells).unwrap()).unwrap(), "'=1+1,\"said \"\"no\"\", twice\",\"two\nlines\",plain\r\n");
    }
}
