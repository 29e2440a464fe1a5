import { z } from 'zod'
import { oneLinePattern } from './text.ts'

/** Of one email: files, and the bytes of all of them. */
export const attachmentLimits = { files: 10, bytes: 7 * 1024 * 1024 } as const

/** Not of messages and their parts: MIME would read such a file as a part of the email. */
const mediaType =
  /^(?!multipart\/|message\/)[a-z0-9][\w!#$&^.+-]{0,63}\/[a-z0-9][\w!#$&^.+-]{0,126}(?:; ?charset=[\w-]{1,40})?$/i

/** A file in an email, as a request gives it. */
export const AttachmentInput = z.strictObject({
  filename: z.string().min(1).max(150).meta({ example: 'invoice.pdf' }),
  content: z.string().min(1).optional().meta({ description: 'The bytes in base64; or give `url`' }),
  url: z.string().max(2000).optional().meta({ description: 'Where the file is read when the request is accepted' }),
  content_type: z
    .string()
    .regex(mediaType, 'must be a media type such as application/pdf')
    .meta({ description: 'Media type; it must match the bytes', example: 'application/pdf' }),
  content_id: z
    .string()
    .regex(
      /^[a-z0-9][\w.@+-]{0,99}$/i,
      'must have 1 to 100 letters, digits, dots, dashes, plus signs, @ or underscores',
    )
    .optional()
    .meta({ description: 'Of an inline image, which the HTML shows as `cid:<content_id>`', example: 'logo' }),
})
export type AttachmentInput = z.output<typeof AttachmentInput>

export const Attachments = z.array(AttachmentInput).max(attachmentLimits.files)

/** Programs and scripts, which carriers refuse (Amazon SES, "Unsupported attachment types"). */
const refusedExtensions = new Set(
  `ade adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its jar js jse ksh lib lnk mad maf mag
  mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz mht mhtml msc msh msh1 msh1xml msh2 msh2xml mshxml msi msp mst ops pcd pif plg
  prf prg ps1 ps1xml ps2 ps2xml psc1 psc2 reg scf scr sct shb shs sys tmp url vb vbe vbs vps vsmacros vss vst vsw vxd ws wsc wsf wsh
  xnk`.split(/\s+/),
)

/** Characters that reverse a part of a name, so that a program looks like a document. */
const reversing = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** The ending that a name shows: letters of other widths, and characters that show nothing, do not hide it. */
const shownExtension = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trimEnd()
    .split('.')
    .at(-1)!
    .toLowerCase()

function nameFault(name: string): string | undefined {
  if (!oneLinePattern.test(name) || reversing.test(name)) return 'must not contain control characters'
  if (/[/\\:*?"<>|]/.test(name)) return 'must be a name without path or the characters \\ / : * ? " < > |'
  if (/^[.\s]|[.\s]$/.test(name)) return 'must neither begin nor end with a dot or a space'
  return refusedExtensions.has(shownExtension(name))
    ? 'is the name of a program or script, which carriers refuse'
    : undefined
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** The bytes that a text in base64 stands for. */
export const bytesOfBase64 = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)

/** What is wrong with the files of a request beyond their schema, by path. */
export function attachmentFaults(attachments: readonly AttachmentInput[]): { path: string[]; message: string }[] {
  const faults: { path: string[]; message: string }[] = []
  const ids = new Set<string>()
  let bytes = 0
  for (const [at, { filename, content, url, content_id }] of attachments.entries()) {
    const fault = (field: string, message: string) => faults.push({ path: ['attachments', String(at), field], message })
    const named = nameFault(filename)
    if (named) fault('filename', named)
    if (content === undefined && url === undefined) fault('content', 'is missing: give content or url')
    if (content !== undefined && url !== undefined) fault('url', 'cannot be combined with content')
    if (content !== undefined) {
      if (content.length % 4 !== 0 || !base64.test(content)) fault('content', 'must be base64 with its padding')
      bytes += bytesOfBase64(content)
    }
    if (content_id !== undefined && ids.has(content_id)) fault('content_id', 'is given twice')
    if (content_id !== undefined) ids.add(content_id)
  }
  if (bytes > attachmentLimits.bytes) faults.push({ path: ['attachments'], message: tooManyBytes })
  return faults
}

export const tooManyBytes = `must have at most ${attachmentLimits.bytes} bytes together`

/** The length of the files in a body: so much longer may it be than another one. */
export function attachedLength(request: unknown): number {
  const { attachments } = (typeof request === 'object' && request !== null ? request : {}) as { attachments?: unknown }
  if (!Array.isArray(attachments)) return 0
  return attachments.reduce((sum: number, one: { content?: unknown } | null) => {
    const content = one?.content
    return sum + (typeof content === 'string' ? content.length : 0)
  }, 0)
}
