/** A binary heap: `take` gives the first of what was added, by `isBefore`. Items must not change their order while they are in it. */
export function createHeap<Item>(isBefore: (one: Item, other: Item) => boolean) {
  const items: Item[] = [];
  const goesFirst = (one: number, other: number): boolean => isBefore(items[one] as Item, items[other] as Item);
  const swap = (one: number, other: number): void => {
    [items[one], items[other]] = [items[other] as Item, items[one] as Item];
  };
  return {
    add(item: Item): void {
      items.push(item);
      let at = items.length - 1;
      for (let parent = (at - 1) >> 1; at > 0 && goesFirst(at, parent); parent = (at - 1) >> 1) {
        swap(at, parent);
        at = parent;
      }
    },
    /** Null: it is empty. */
    take(): Item | null {
      if (items.length === 0) return null;
      swap(0, items.length - 1);
      const first = items.pop() as Item;
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let next = left < items.length && goesFirst(left, at) ? left : at;
        if (right < items.length && goesFirst(right, next)) next = right;
        if (next === at) return first;
        swap(at, next);
        at = next;
      }
    },
  };
}
