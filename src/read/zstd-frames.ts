/** Where the frames of a zstd file end (RFC 8878, section 3.1). Some versions of Node take a frame that is cut off for a whole one. */

/** Whether the file ends where a frame does. False, too, where something else follows a frame. */
export async function endsWithFrame(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  const { take, skip } = reader(chunks);
  for (;;) {
    const magic = await take(4);
    if (magic.length < 4) return magic.length === 0;
    const kind = magic.readUInt32LE();
    // A skippable frame: its size, and so many bytes.
    if (kind >>> 4 === 0x184d2a5) {
      const size = await take(4);
      if (size.length < 4 || !(await skip(size.readUInt32LE()))) return false;
      continue;
    }
    if (kind !== 0xfd2fb528) return false;
    const [flags = 0] = await take(1);
    const isSingle = (flags & 0x20) !== 0;
    const ofContent = [isSingle ? 1 : 0, 2, 4, 8][flags >>> 6] ?? 0;
    const ofDictionary = [0, 1, 2, 4][flags & 3] ?? 0;
    if (!(await skip((isSingle ? 0 : 1) + ofDictionary + ofContent))) return false;
    for (let isLast = false; !isLast; ) {
      const block = await take(3);
      if (block.length < 3) return false;
      const header = block.readUIntLE(0, 3);
      isLast = (header & 1) !== 0;
      const isRepeated = ((header >>> 1) & 3) === 1;
      if (!(await skip(isRepeated ? 1 : header >>> 3))) return false;
    }
    if ((flags & 4) !== 0 && !(await skip(4))) return false;
  }
}

function reader(chunks: AsyncIterable<Buffer>) {
  const source = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async () => {
    const next = await source.next();
    if (next.done !== true) rest = Buffer.concat([rest, next.value]);
    return next.done !== true;
  };
  return {
    /** Fewer at the end. */
    async take(count: number): Promise<Buffer> {
      while (rest.length < count && (await more()));
      const taken = rest.subarray(0, count);
      rest = rest.subarray(count);
      return taken;
    },
    /** @returns whether there were so many */
    async skip(count: number): Promise<boolean> {
      let left = count;
      while (rest.length < left) {
        left -= rest.length;
        rest = Buffer.alloc(0);
        if (!(await more())) return left === 0;
      }
      rest = rest.subarray(left);
      return true;
    },
  };
}
