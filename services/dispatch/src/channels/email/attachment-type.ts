/** Other names of a type. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'application/x-zip-compressed': 'application/zip',
  'application/x-zip': 'application/zip',
  'application/x-gzip': 'application/gzip',
  'application/x-rar-compressed': 'application/vnd.rar',
  'application/x-rar': 'application/vnd.rar',
  'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'text/xml': 'application/xml',
  'text/rtf': 'application/rtf',
  'text/x-vcard': 'text/vcard',
}

const nameOf = (type: string) => aliases[type] ?? type

/** Programs, whatever they are declared as. */
const programs =
  /^application\/(?:x-(?:msdownload|elf|mach-binary|executable|ms-shortcut|msi|dosexec)|vnd\.microsoft\.portable-executable|java-vm)$/

/** Documents that are archives of a general form: a reader of bytes may see no more than that. */
const containers: readonly [pattern: RegExp, container: string][] = [
  [/openxmlformats|opendocument|\+zip$|java-archive|vnd\.apple\./, 'application/zip'],
  [/msword|ms-(?:excel|powerpoint|outlook|project)|vnd\.visio/, 'application/x-cfb'],
  [/\+xml$/, 'application/xml'],
]

/** Types of texts, which have no signature. */
const textual = /^text\/|[/+](?:json|xml|yaml|csv|javascript|x-ndjson|pgp-signature|pgp-encrypted|pkcs7-signature)$/

/**
 * Compares the declared type of a file with its bytes.
 * @returns what is wrong; undefined when they fit, or when the type cannot be told from bytes
 */
export async function typeFault(declared: string, bytes: Buffer): Promise<string | undefined> {
  const type = nameOf(declared.split(';', 1)[0]!.trim().toLowerCase())
  // Loaded with the first file.
  const { fileTypeFromBuffer, supportedMimeTypes } = await import('file-type')
  const found = (await fileTypeFromBuffer(bytes))?.mime
  const seen = found && nameOf(found)
  if (seen && programs.test(seen)) return 'is not allowed: the content is a program'
  if (seen === type || type === 'application/octet-stream') return undefined
  if (seen && containers.some(([pattern, container]) => container === seen && pattern.test(type))) return undefined
  const isText = textual.test(type)
  if (seen) return isText && seen === 'application/xml' ? undefined : `does not match the content, which is ${seen}`
  if (isText) return bytes.subarray(0, 4096).includes(0) ? 'does not match the content, which is no text' : undefined
  const isKnown = (supportedMimeTypes as ReadonlySet<string>).has(type) || containers.some(([one]) => one.test(type))
  return isKnown ? 'does not match the content' : undefined
}
