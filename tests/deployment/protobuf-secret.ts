import type { Resource } from '../../scripts/render-kustomization.ts'

/** How Kubernetes' clients mark protocol buffers. */
const magic = 'k8s\0'

export const isProtobuf = (body: Buffer) => body.toString('latin1', 0, magic.length) === magic

type Fields = Map<number, (Buffer | number)[]>

/** The Secret in a request of a client that writes protocol buffers (k8s.io/api/core/v1/generated.proto). */
export function decodeSecret(body: Buffer): Resource {
  const envelope = fieldsOf(body.subarray(magic.length))
  const secret = fieldsOf(bytes(envelope, 2))
  const metadata = fieldsOf(bytes(secret, 1))
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: bytes(metadata, 1).toString(),
      namespace: bytes(metadata, 3).toString(),
      labels: Object.fromEntries(entries(metadata, 11).map(([key, value]) => [key, value.toString()])),
    },
    data: Object.fromEntries(entries(secret, 2).map(([key, value]) => [key, value.toString('base64')])),
    type: bytes(secret, 3).toString(),
  } as unknown as Resource
}

const bytes = (fields: Fields, number: number) => (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0)

function entries(fields: Fields, number: number): [string, Buffer][] {
  return (fields.get(number) ?? []).map((entry) => {
    const pair = fieldsOf(entry as Buffer)
    return [bytes(pair, 1).toString(), bytes(pair, 2)]
  })
}

/** Fields of a message: varints and length-delimited ones. */
function fieldsOf(message: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++]!
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < message.length) {
    const tag = varint()
    const isVarint = (tag & 7) === 0
    const length = varint()
    const value = isVarint ? length : message.subarray(at, at + length)
    if (!isVarint) at += length
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}
