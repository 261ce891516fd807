"""Compiled tests of which conditions may still join a rule: cheap ones, a sharp one, and dominance."""

# Arguments of compiled functions have the types that the compiler is given.
# mypy: allow-untyped-defs

from __future__ import annotations

from rulecg_kernels.compiler import F1, I1, INT, U1, U2, compiled

from .record_types import AHEAD, CANDIDATES, GIVEN, PACKED, SCRATCH
from .search_state import COST, DEAD, GAIN, TINY


@compiled(F1, I1, INT)
def sort_up(keys, order, size):
    """Fill order[:size] so that the keys come smallest first; of equal keys the first comes first."""
    for place in range(size):
        order[place] = place
    gap = 1
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for place in range(gap, size):
            entry = order[place]
            key = keys[entry]
            back = place
            while back >= gap:
                other = order[back - gap]
                if keys[other] < key or (keys[other] == key and other < entry):
                    break
                order[back] = other
                back -= gap
            order[back] = entry
        gap //= 3


@compiled(INT, INT, U1, U2, INT)
def same_cover(first, second, covered, columns, n_words):
    """Whether two conditions keep the same of the covered samples (second = -1: whether the first keeps all)."""
    for word in range(n_words):
        bits = covered[word]
        other = bits if second < 0 else columns[word, second] & bits
        if columns[word, first] & bits != other:
            return False
    return True


@compiled(GIVEN, CANDIDATES, AHEAD, SCRATCH)
def plausible(given, candidates, ahead, scratch):
    """Mark the candidates that can be in a rule of interest with 1 to ``ahead.further`` others, by one cheap pass.

    The removals of a rule's conditions and the gain of the weakest among them must together reach a target. Either the
    candidate is the weakest and the others remove the most that conditions of other chains can, or one of the others
    brings the largest sum of removal and gain. Returns how many are marked, in ``scratch.ints[0]``."""
    conditions, gains, costs = candidates.conditions, candidates.gains, candidates.costs
    prices, chains, kept, top = given.prices, given.chains, scratch.ints[0], scratch.top
    size, further, total_cost = ahead.size, ahead.further, ahead.total_cost
    n_top = 0
    most_both = DEAD
    for c in range(size):
        removal = total_cost - costs[c]
        most_both = max(most_both, removal + gains[c])
        chain = chains[conditions[c]]
        place = n_top
        for t in range(n_top):
            if top[t, 0] == chain:
                place = t
        if place == n_top:
            if n_top <= further:
                n_top += 1
            elif top[n_top - 1, 1] < removal:
                place = n_top - 1
            else:
                continue
        elif top[place, 1] >= removal:
            continue
        while place > 0 and top[place - 1, 1] < removal:
            top[place, 0] = top[place - 1, 0]
            top[place, 1] = top[place - 1, 1]
            place -= 1
        top[place, 0] = chain
        top[place, 1] = removal
    count = 0
    for c in range(size):
        chain = chains[conditions[c]]
        removal = total_cost - costs[c]
        target = total_cost + ahead.price + prices[conditions[c]] - ahead.cut
        others = 0.0
        fewer = 0.0
        kept[c] = 0
        q = 0
        for t in range(n_top):
            if top[t, 0] == chain:
                continue
            q += 1
            if q > further:
                break
            others += top[t, 1]
            target += given.least_price
            if gains[c] > target - total_cost and (
                removal + gains[c] + others > target or removal + most_both + fewer > target
            ):
                kept[c] = 1
                count += 1
                break
            fewer = others
    return count


@compiled(GIVEN, CANDIDATES, AHEAD, SCRATCH, outer=True)
def promising(given, candidates, ahead, scratch):
    """Mark the candidates that can be in a rule of interest with 1 to ``ahead.further`` other candidates.

    The other conditions all keep at least the gain g of the weakest among them, so they remove at most R_q(g), the
    q largest removals among candidates that keep g. A rule through candidate u with gain g in all is of interest only
    if ``cost_u - R_q(g) - g`` (and ``-g``) is below the cut less prices: one sweep in order of gain tests all u.
    Marks are in ``scratch.ints[0]``."""
    conditions, gains, costs = candidates.conditions, candidates.gains, candidates.costs
    prices, chains, least_price, top = given.prices, given.chains, given.least_price, scratch.top
    kept, order, best, losses = scratch.ints[0], scratch.ints[1], scratch.floats[0], scratch.floats[1]
    size, price, total_cost, cut = ahead.size, ahead.price, ahead.total_cost, ahead.cut
    for place in range(size):
        kept[place] = 0
        losses[place] = -gains[place]
    sort_up(losses, order, size)
    for q in range(1, ahead.further + 1):
        # top holds the chains and the removals of the q largest removals so far; best[place] = R_q + gain.
        least_gain = price + (q + 1) * least_price - cut
        n_top = 0
        total = 0.0
        last = -1
        for place in range(size):
            candidate = order[place]
            if gains[candidate] <= least_gain:
                break
            last = place
            removal = max(0.0, total_cost - costs[candidate])
            chain = chains[conditions[candidate]]
            found = -1
            weakest = 0
            for t in range(n_top):
                if top[t, 0] == chain:
                    found = t
                if top[t, 1] < top[weakest, 1]:
                    weakest = t
            if found >= 0:
                if removal > top[found, 1]:
                    total += removal - top[found, 1]
                    top[found, 1] = removal
            elif n_top < q:
                top[n_top, 0] = chain
                top[n_top, 1] = removal
                total += removal
                n_top += 1
            elif removal > top[weakest, 1]:
                total += removal - top[weakest, 1]
                top[weakest, 0] = chain
                top[weakest, 1] = removal
            best[place] = total + gains[candidate]
        most = DEAD
        for back in range(last + 1):
            candidate = order[last - back]
            most = max(most, best[last - back])
            if most > costs[candidate] + price + prices[conditions[candidate]] + q * least_price - cut:
                kept[candidate] = 1


@compiled(GIVEN, CANDIDATES, INT, F1, U1, PACKED, SCRATCH, outer=True)
def arrange(given, candidates, size, numbers, covered, packed, scratch):
    """Sort candidates by removal, largest first; drop those that remove nothing and copies of shorter ones. New size.

    Unless covers must stay exact (in a listing), also drop those of which another of the same chain, at no higher
    price, keeps as much gain and no more cost: in any rule the other is at least as good."""
    conditions, parents, gains, costs = candidates.conditions, candidates.parents, candidates.gains, candidates.costs
    prices, lengths, chains, exact_covers = given.prices, given.lengths, given.chains, given.is_listing
    columns, n_words = packed.columns, packed.words[3]
    order, old_conditions, old_parents = scratch.ints[0], scratch.ints[1], scratch.ints[2]
    old_gains, old_costs = scratch.floats[0], scratch.floats[1]
    sort_up(costs, order, size)
    for c in range(size):
        old_conditions[c], old_parents[c] = conditions[c], parents[c]
        old_gains[c], old_costs[c] = gains[c], costs[c]
    total_gain = numbers[GAIN]
    total_cost = numbers[COST]
    count = 0
    for place in range(size):
        c = order[place]
        condition = old_conditions[c]
        gain = old_gains[c]
        cost = old_costs[c]
        if (
            prices[condition] >= 0.0
            and gain >= total_gain - TINY
            and cost >= total_cost - TINY
            and (not exact_covers or same_cover(condition, -1, covered, columns, n_words))
        ):
            continue
        copied = False
        back = count - 1
        while prices[condition] >= 0.0 and back >= 0 and costs[back] >= cost - TINY:
            other = conditions[back]
            if (
                abs(gains[back] - gain) <= TINY
                and prices[other] >= 0.0
                and given.columns[condition] == given.columns[other]
                and same_cover(condition, other, covered, columns, n_words)
            ):
                copied = True
                if lengths[condition] < lengths[other]:
                    conditions[back] = condition
                    parents[back] = old_parents[c]
                break
            back -= 1
        back = count - 1
        while not exact_covers and not copied and back >= 0:
            other = conditions[back]
            if chains[other] == chains[condition]:
                copied = gains[back] >= gain - TINY and prices[other] <= prices[condition] and prices[other] >= 0.0
                break
            back -= 1
        if not copied:
            conditions[count] = condition
            parents[count] = old_parents[c]
            gains[count] = gain
            costs[count] = cost
            count += 1
    return count
