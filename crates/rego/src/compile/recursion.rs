//! Rules that lead to themselves.

/// Groups of positions in the graph that lead to each other: for each one of at least two, or that leads to itself,
/// its members. Takes time in proportion to the size of the graph, and no stack.
pub(super) fn cycles(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    // Tarjan's algorithm for strongly connected components, with `pending` in place of recursion: a policy
    // may have a chain of 200,000 functions.
    const NEW: u32 = u32::MAX;
    let count = edges.len();
    let (mut order, mut low) = (vec![NEW; count], vec![0_u32; count]);
    let mut is_open = vec![false; count];
    let (mut open, mut pending) = (Vec::new(), Vec::<(u32, usize)>::new());
    let mut next = 0;
    let mut found = Vec::new();
    for root in 0..count {
        if order[root] != NEW {
            continue;
        }
        pending.push((u32::try_from(root).unwrap_or(NEW), 0));
        while let Some((at, edge)) = pending.pop() {
            let here = at as usize;
            if edge == 0 {
                order[here] = next;
                low[here] = next;
                next += 1;
                open.push(at);
                is_open[here] = true;
            } else {
                let child = edges[here][edge - 1] as usize;
                if is_open[child] {
                    // The child has been finished since this node was left, and belongs to its group if it is
                    // still open.
                    low[here] = low[here].min(low[child]);
                }
            }
            let mut edge = edge;
            let mut descends = false;
            while let Some(child) = edges[here].get(edge) {
                edge += 1;
                if order[*child as usize] == NEW {
                    pending.push((at, edge));
                    pending.push((*child, 0));
                    descends = true;
                    break;
                }
                if is_open[*child as usize] {
                    low[here] = low[here].min(order[*child as usize]);
                }
            }
            if descends || low[here] != order[here] {
                continue;
            }
            let mut group = Vec::new();
            while let Some(member) = open.pop() {
                is_open[member as usize] = false;
                group.push(member);
                if member == at {
                    break;
                }
            }
            if group.len() > 1 || edges[here].contains(&at) {
                group.sort_unstable();
                found.push(group);
            }
        }
    }
    found
}
