// Statements about files (in-toto) in signed envelopes (DSSE), as cosign and slsa-verifier read them.
import { createHash, createPublicKey, type KeyLike, sign, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const payloadType = 'application/vnd.in-toto+json'

export interface Build {
  version: string
  /** The commit. */
  revision: string
  /** Where the commit is. */
  repository: string
  /** Who built: the workflow, or a machine. */
  builder: string
  invocation: string
  startedAt: string
  finishedAt: string
}

interface Subject {
  name: string
  digest: { sha256: string }
}

interface Envelope {
  payloadType: string
  payload: string
  signatures: { keyid: string; sig: string }[]
}

export const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Which sources and which lockfile the files were made of: https://slsa.dev/spec/v1.0/provenance. */
export function provenance(folder: string, files: readonly string[], lockfile: string, build: Build): object {
  const subject = files.map((name): Subject => ({ name, digest: { sha256: sha256(readFileSync(join(folder, name))) } }))
  const { version, revision, repository, builder, invocation, startedAt, finishedAt } = build
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:notify:release:v1',
        externalParameters: { version },
        resolvedDependencies: [
          { uri: `git+${repository}`, digest: { gitCommit: revision } },
          { uri: basename(lockfile), digest: { sha256: sha256(readFileSync(lockfile)) } },
        ],
      },
      runDetails: {
        builder: { id: builder },
        metadata: { invocationId: invocation, startedOn: startedAt, finishedOn: finishedAt },
      },
    },
  }
}

/** Signs with a private key (ECDSA P-256). */
export function envelope(statement: object, key: KeyLike): Envelope {
  const payload = Buffer.from(JSON.stringify(statement))
  const sig = sign('sha256', preAuthentication(payload), key).toString('base64')
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid: keyId(key), sig }] }
}

/** The statement in an envelope. @throws Error when no signature is that of the key */
export function openEnvelope({ payload, signatures }: Envelope, key: KeyLike): { subject: Subject[] } {
  const bytes = Buffer.from(payload, 'base64')
  const isSigned = signatures.some(({ sig }) =>
    verify('sha256', preAuthentication(bytes), key, Buffer.from(sig, 'base64')),
  )
  if (!isSigned) throw new Error('the provenance is not signed with this key')
  return JSON.parse(bytes.toString('utf8'))
}

function keyId(key: KeyLike): string {
  return sha256(createPublicKey(key as string).export({ type: 'spki', format: 'der' }))
}

/** What is signed: https://github.com/secure-systems-lab/dsse/blob/master/protocol.md. */
function preAuthentication(payload: Buffer): Buffer {
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}
