import type { components } from '@notify/sdk'
import { ExternalLink, FileText, ImageIcon, MapPin, Video } from 'lucide-react'
import type { ReactNode } from 'react'

type Content = components['schemas']['WhatsAppTemplateContent']

const filePictures = { image: ImageIcon, video: Video, document: FileText, location: MapPin } as const

/** A message as the phone shows it: header, text, footer, and the buttons below. */
export function WhatsAppBubble({ content: { header, body, footer, buttons } }: { content: Content }) {
  return (
    <section aria-label="Message on the phone" className="flex max-w-80 flex-col gap-1 rounded-lg bg-sunken p-3">
      <div className="flex flex-col gap-1 rounded-md border border-line bg-surface p-2.5 [overflow-wrap:anywhere]">
        {header ? <Header header={header} /> : null}
        <p dir="auto" className="whitespace-pre-wrap">
          {formatted(body)}
        </p>
        {footer ? (
          <p dir="auto" className="text-xs text-faint">
            {footer}
          </p>
        ) : null}
      </div>
      {buttons.map(({ text, url }) => (
        <p
          key={text}
          className="flex items-center justify-center gap-1.5 rounded-md border border-line bg-surface px-2.5 py-1.5 text-accent"
          title={url ?? undefined}
        >
          {url ? <ExternalLink size={12} aria-hidden /> : null}
          <bdi>{text}</bdi>
        </p>
      ))}
    </section>
  )
}

function Header({ header: { format, text } }: { header: NonNullable<Content['header']> }) {
  if (text !== null)
    return (
      <p dir="auto" className="font-semibold">
        {text}
      </p>
    )
  const Picture = filePictures[format as keyof typeof filePictures] ?? FileText
  return (
    <p lang="en" dir="ltr" className="flex items-center justify-center gap-1.5 rounded bg-quiet-fill py-6 text-faint">
      <Picture size={16} aria-hidden />
      {format}
    </p>
  )
}

const marks = { '*': 'font-semibold', _: 'italic', '~': 'line-through' } as const

/** The text with WhatsApp's marks: `*bold*`, `_italic_`, `~struck~`. */
function formatted(text: string): ReactNode[] {
  return text.split(/(\*[^*\n]{1,1024}\*|_[^_\n]{1,1024}_|~[^~\n]{1,1024}~)/).map((part, at) => {
    const style = part.length > 2 && part.at(-1) === part[0] ? marks[part[0] as keyof typeof marks] : undefined
    const key = `${at} ${part}`
    return style && at % 2 === 1 ? (
      <span key={key} className={style}>
        {part.slice(1, -1)}
      </span>
    ) : (
      part
    )
  })
}
