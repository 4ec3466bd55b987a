//! Things of which there is mostly one: it lies where it is asked for, and takes no memory elsewhere.

use std::ops::{Deref, DerefMut};
use std::slice::{from_mut, from_ref};

/// As many as there are, in order.
#[derive(Default)]
pub(super) enum Few<T> {
    #[default]
    None,
    One(T),
    Many(Vec<T>),
}

impl<T> Few<T> {
    /// One more, behind the others.
    pub fn push(&mut self, last: T) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(last),
            Self::One(first) => Self::Many(vec![first, last]),
            Self::Many(mut all) => {
                all.push(last);
                Self::Many(all)
            }
        };
    }

    /// The only one, if there are no others.
    #[inline(always)]
    pub fn only(&mut self) -> Option<&mut T> {
        if let Self::One(one) = self {
            return Some(one);
        }
        self.only_of_many()
    }

    #[inline(never)]
    fn only_of_many(&mut self) -> Option<&mut T> {
        match &mut self[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Keeps those that are wanted.
    pub fn retain(&mut self, is_wanted: impl Fn(&T) -> bool) {
        if let Self::Many(all) = self {
            all.retain(&is_wanted);
        }
        if self.iter().next().is_none_or(|first| !is_wanted(first)) {
            *self = Self::None;
        }
    }

    /// Without the first one, if there is one.
    pub fn drop_first(&mut self) {
        match self {
            Self::Many(all) if all.len() > 1 => drop(all.remove(0)),
            _ => *self = Self::None,
        }
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match self {
            Self::One(one) => from_ref(one),
            Self::None => &[],
            Self::Many(all) => all,
        }
    }
}

impl<T> DerefMut for Few<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::One(one) => from_mut(one),
            Self::None => &mut [],
            Self::Many(all) => all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_what_a_list_is() {
        let (mut few, mut list) = (Few::default(), Vec::new());
        for turn in 0..10_000u32 {
            let random = turn.wrapping_mul(0x9e37_79b9).rotate_left(7);
            match random % 16 {
                0..9 => {
                    few.push(turn);
                    list.push(turn);
                }
                9..13 => {
                    few.drop_first();
                    list.drain(..list.len().min(1));
                }
                13 => {
                    few.retain(|one| one % 3 > 0);
                    list.retain(|one| one % 3 > 0);
                }
                14 => {
                    few.iter_mut().for_each(|one| *one += 1);
                    list.iter_mut().for_each(|one| *one += 1);
                }
                _ => {
                    few.retain(|one| one % 7 == 0);
                    list.retain(|one| one % 7 == 0);
                }
            }
            assert_eq!(few[..], list[..]);
            let only = (list.len() == 1).then(|| list[0]);
            assert_eq!(few.only().copied(), only);
        }
    }
}
