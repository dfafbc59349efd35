import { mailDocument } from './mail.ts'

/** A mail as its reader sees it. Nothing in it may run, open or leave. */
export function MailFrame({
  html,
  title,
  width,
  height = 560,
}: {
  html: string
  title: string
  width?: number
  height?: number
}) {
  return (
    <iframe
      className="mail"
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={mailDocument(html)}
      title={title}
      height={height}
      style={{ maxWidth: width ?? '100%', marginInline: 'auto' }}
    />
  )
}
