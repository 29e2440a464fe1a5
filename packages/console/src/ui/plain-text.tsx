/**
 * Untrusted text: names, subjects, carriers' messages. It is never markup, and its direction does not affect the text around
 * it, because a bdi without `dir` determines its own.
 */
export function PlainText({ children, className }: { children: string; className?: string }) {
  return <bdi className={className}>{children}</bdi>
}

/** A long text, such as a template, unchanged and with a limited height. */
export function TextBlock({ children, label }: { children: string; label: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard (WCAG 2.1.1)
      tabIndex={0}
      dir="auto"
      className="max-h-72 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap [overflow-wrap:anywhere]"
    >
      {children}
    </section>
  )
}
