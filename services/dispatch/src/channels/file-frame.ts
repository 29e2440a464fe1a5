const lengthBytes = 4

/** Several files as one value: each after its length. */
export function framed(files: readonly Buffer[]): Buffer {
  return Buffer.concat(
    files.flatMap((file) => {
      const length = Buffer.alloc(lengthBytes)
      length.writeUInt32BE(file.length)
      return [length, file]
    }),
  )
}

/** The files of {@link framed}, without copies. */
export function unframed(value: Buffer): Buffer[] {
  const files: Buffer[] = []
  for (let at = 0; at < value.length; ) {
    const start = at + lengthBytes
    at = start + value.readUInt32BE(at)
    files.push(value.subarray(start, at))
  }
  return files
}
