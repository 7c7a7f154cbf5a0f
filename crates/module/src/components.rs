//! The parts of a graph that form cycles.

/// The strongly connected components, each after those that it needs (Tarjan's algorithm, without a call for each level).
pub(crate) fn components<'n>(count: usize, needs: impl Fn(usize) -> &'n [usize]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut found = Vec::new();
    let mut number = vec![UNSEEN; count];
    let mut lowest = vec![0; count];
    let mut is_open = vec![false; count];
    let mut open = Vec::new();
    let mut next = 0;
    let mut calls: Vec<(usize, usize)> = Vec::new();
    for start in 0..count {
        if number[start] != UNSEEN {
            continue;
        }
        calls.push((start, 0));
        while let Some((node, position)) = calls.last_mut() {
            let node = *node;
            if *position == 0 {
                (number[node], lowest[node]) = (next, next);
                next += 1;
                open.push(node);
                is_open[node] = true;
            }
            match needs(node).get(*position) {
                Some(need) => {
                    *position += 1;
                    if number[*need] == UNSEEN {
                        calls.push((*need, 0));
                    } else if is_open[*need] {
                        lowest[node] = lowest[node].min(number[*need]);
                    }
                }
                None => {
                    calls.pop();
                    if let Some((caller, _)) = calls.last() {
                        lowest[*caller] = lowest[*caller].min(lowest[node]);
                    }
                    if lowest[node] == number[node] {
                        let first = open.iter().rposition(|other| *other == node).unwrap_or(0);
                        let component = open.split_off(first);
                        component.iter().for_each(|member| is_open[*member] = false);
                        found.push(component);
                    }
                }
            }
        }
    }
    found
}
