//! Objects that the program allocated from `malloc`: each is read once something points to it, or into it.

use super::malloc_heap::Chunk;

/// All objects, by start.
#[derive(Default)]
pub struct Objects {
    chunks: Vec<Chunk>,
    is_reached: Vec<bool>,
    /// Reached and not read yet.
    pending: Vec<usize>,
    lowest: u64,
    span: u64,
}

impl Objects {
    /// `chunks` must be sorted by start.
    pub fn of(chunks: Vec<Chunk>) -> Self {
        let lowest = chunks.first().map_or(0, |first| first.start);
        let highest = chunks.iter().map(|chunk| chunk.end).max().unwrap_or(0);
        Self {
            is_reached: vec![false; chunks.len()],
            pending: Vec::new(),
            span: highest - lowest,
            lowest,
            chunks,
        }
    }

    /// Whether a word may point to an object.
    #[inline]
    pub fn is_near(&self, word: u64) -> bool {
        word.wrapping_sub(self.lowest) < self.span
    }

    /// A reachable word has this value.
    pub fn reach(&mut self, word: u64) {
        let after = self.chunks.partition_point(|chunk| chunk.start <= word);
        if let Some(at) = after.checked_sub(1)
            && word < self.chunks[at].end
            && !self.is_reached[at]
        {
            self.is_reached[at] = true;
            self.pending.push(at);
        }
    }

    /// The objects reached since the last call.
    pub fn take_pending(&mut self) -> Vec<(u64, u64)> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_unstable();
        pending.iter().map(|&at| self.range(at)).collect()
    }

    /// The objects that nothing has reached.
    pub fn lost(&self) -> Vec<(u64, u64)> {
        let lost = (0..self.chunks.len()).filter(|&at| !self.is_reached[at]);
        lost.map(|at| self.range(at)).collect()
    }

    /// The object that `address` is in.
    pub fn around(&self, address: u64) -> Option<(u64, u64)> {
        let after = self.chunks.partition_point(|chunk| chunk.start <= address);
        let at = after.checked_sub(1)?;
        (address < self.chunks[at].end).then(|| self.range(at))
    }

    fn range(&self, at: usize) -> (u64, u64) {
        (self.chunks[at].start, self.chunks[at].end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_reached_by_its_start_and_its_inside_and_once() {
        let chunk = |start, end| Chunk { start, end };
        let mut objects = Objects::of(vec![chunk(16, 40), chunk(64, 88), chunk(96, 120)]);
        for word in [0, 15, 40, 63, 120, u64::MAX] {
            objects.reach(word);
        }
        assert_eq!(objects.take_pending(), []);
        for word in [96, 39, 16] {
            objects.reach(word);
        }
        assert_eq!(objects.take_pending(), [(16, 40), (96, 120)]);
        objects.reach(16);
        assert_eq!(objects.take_pending(), []);
        assert_eq!(objects.lost(), [(64, 88)]);
    }
}
