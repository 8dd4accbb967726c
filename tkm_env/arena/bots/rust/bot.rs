//! Plays any legal action. A request is: WORDS | POSITION | ACTIONS; docs/protocol.md describes them.

use std::io::{self, BufRead, Write};

/// The value of a word `name=value`; an empty text if it is not there.
fn value<'a>(words: &'a str, name: &str) -> &'a str {
    words.split(' ').filter_map(|word| word.split_once('=')).find(|(given, _)| *given == name).map_or("", |(_, value)| value)
}

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words = line.split(" | ").next().unwrap_or("");
        match words.split(' ').next() {
            Some("tkm") => writeln!(output, "tkm 1 name=random-rust version=1")?,
            Some("go") => {
                let legal: Vec<&str> = value(words, "legal").split(',').collect();
                let seed: usize = value(words, "seed").parse().unwrap_or(0);
                writeln!(output, "play {}", legal[seed % legal.len()])?;
            }
            Some("quit") => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}
