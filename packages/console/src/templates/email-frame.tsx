import { directionOf } from '@notify/locales'
import { useEffect, useRef, useState } from 'react'

/**
 * The HTML of an email, in a document of the gateway that has an opaque origin, runs no script of the email and loads
 * nothing.
 * @param locale its language, which the HTML has unless it states one itself
 */
export function EmailFrame({ html, locale }: { html: string; locale: string | undefined }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'ready') setReady(true)
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
  useEffect(() => {
    // The sandboxed document has an opaque origin, which cannot be named.
    if (isReady)
      frame.current?.contentWindow?.postMessage(
        { html, ...(locale ? { lang: locale, dir: directionOf(locale) } : {}) },
        '*',
      )
  }, [html, locale, isReady])
  return (
    <iframe
      ref={frame}
      title="HTML of the email"
      src="/console/preview-frame"
      sandbox="allow-scripts"
      className="h-72 w-full rounded-md border border-line"
    />
  )
}
