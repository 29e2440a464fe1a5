import { type ComponentProps, type ReactNode, useId } from 'react'
import { useFieldErrors } from './form.tsx'

interface FieldProps {
  label: string
  /** Path of the value in the request, as in `errors[].path` of a problem: `credentials.api_key`. */
  name: string
  hint?: ReactNode
}

interface Described {
  id: string
  name: string
  'aria-invalid': boolean | undefined
  'aria-describedby': string | undefined
}

/** Label, control, hint, and the service's error about the value. */
function Field({ label, name, hint, children }: FieldProps & { children: (described: Described) => ReactNode }) {
  const id = useId()
  const errors = useFieldErrors(name)
  const notes = [hint ? `${id}-hint` : '', errors.length > 0 ? `${id}-errors` : ''].filter(Boolean).join(' ')
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, name, 'aria-invalid': errors.length > 0 || undefined, 'aria-describedby': notes || undefined })}
      {hint ? (
        <p id={`${id}-hint`} className="text-xs text-faint">
          {hint}
        </p>
      ) : null}
      {errors.length > 0 ? (
        <p id={`${id}-errors`} className="text-xs text-bad [overflow-wrap:anywhere]">
          {errors.join('; ')}
        </p>
      ) : null}
    </div>
  )
}

export function TextField({ label, hint, name, ...rest }: FieldProps & ComponentProps<'input'>) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(described) => <input type="text" autoComplete="off" {...rest} {...described} className="control" />}
    </Field>
  )
}

/** A write-only secret, which the browser neither shows nor stores. */
export function SecretField({ label, hint, name, ...rest }: FieldProps & ComponentProps<'input'>) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(described) => (
        <input {...rest} {...described} type="password" autoComplete="new-password" className="control font-mono" />
      )}
    </Field>
  )
}

/** A text of several lines; `code` sets it in monospace. */
export function TextAreaField({
  label,
  hint,
  name,
  code = false,
  ...rest
}: FieldProps & { code?: boolean } & ComponentProps<'textarea'>) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(described) => (
        <textarea
          rows={6}
          {...rest}
          {...described}
          dir="auto"
          spellCheck={!code}
          className={`control resize-y ${code ? 'font-mono !text-xs' : ''}`}
        />
      )}
    </Field>
  )
}

export interface Option {
  value: string
  label: string
}

export function SelectField({
  label,
  hint,
  name,
  options,
  ...rest
}: FieldProps & { options: readonly Option[] } & ComponentProps<'select'>) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(described) => (
        <select {...rest} {...described} className="control">
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
