import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import { showToast } from './toasts.tsx'

/** Copies a text. `label` names it, for example `Copy the trace id`. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => showToast({ tone: 'bad', text: 'The browser does not allow copying; select the text instead.' }),
    )
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={() => void copy()} className="-my-1 size-[26px]">
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
  )
}

/** An identifier in monospace, with a button to copy it. */
export function CopyableId({ id, what }: { id: string; what: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="truncate font-mono text-xs" title={id}>
        {id}
      </code>
      <CopyButton text={id} label={`Copy the ${what}`} />
    </span>
  )
}
