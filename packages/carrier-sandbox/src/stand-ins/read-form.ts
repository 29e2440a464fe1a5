import { parse } from 'node:querystring'
import type { Request } from 'express'

/** A file of a form. */
export interface FormFile {
  field: string
  filename: string
  content_type: string
  bytes: Uint8Array
}

/** The fields and files of a form, in either encoding. */
export async function readForm(req: Request): Promise<{ fields: Record<string, unknown>; files: FormFile[] }> {
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0)
  const type = req.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return { fields: parse(body.toString()), files: [] }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const fields: Record<string, unknown> = {}
  const files: FormFile[] = []
  for (const [field, value] of form) {
    if (typeof value === 'string') fields[field] = value
    else {
      const bytes = new Uint8Array(await value.arrayBuffer())
      files.push({ field, filename: value.name, content_type: value.type, bytes })
    }
  }
  return { fields, files }
}
