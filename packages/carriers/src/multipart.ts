/** A file of a form. */
export interface FormFile {
  field: string
  filename: string
  content_type: string
  content: Buffer
}

/** A form with files (RFC 7578), with its media type. */
export interface Multipart {
  contentType: string
  bytes: Buffer
}

/**
 * Writes a form with files.
 * @param boundary must not occur in the parts: an id of ours
 */
export function multipartOf(
  boundary: string,
  fields: readonly (readonly [string, string])[],
  files: readonly FormFile[],
): Multipart {
  const part = (head: string, content: Buffer | string) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ]
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([
      ...fields.flatMap(([name, value]) => part(`name="${quoted(name)}"`, value)),
      ...files.flatMap(({ field, filename, content_type, content }) =>
        part(`name="${field}"; filename="${quoted(filename)}"\r\nContent-Type: ${content_type}`, content),
      ),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  }
}

/** As browsers write it (WHATWG HTML, multipart/form-data encoding). */
const quoted = (text: string) => text.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))
