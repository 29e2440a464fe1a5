import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { showToast } from './toasts.tsx'

interface ExportButtonProps {
  /** Name of the file, for example `activity.csv`. */
  fileName: string
  /** Reads the file through the API, which needs the token that a link does not send. */
  read: () => Promise<Blob>
}

/** Downloads the items that match the filters of a list. */
export function ExportButton({ fileName, read }: ExportButtonProps) {
  const [busy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      save(await read(), fileName)
    } catch (error) {
      showToast({ tone: 'bad', text: `Not exported: ${error instanceof Error ? error.message : error}` })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button busy={busy} onClick={() => void download()}>
      <Download size={14} aria-hidden />
      Export
    </Button>
  )
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
