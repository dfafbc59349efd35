import { buildMailDocument, type MailColors } from './mail.ts'

/** Shows a mail. Scripts, links and pop-ups inside are blocked. */
export function MailFrame({
  html,
  title,
  width,
  height = 560,
  colors = 'light',
}: {
  html: string
  title: string
  width?: number
  height?: number
  colors?: MailColors
}) {
  return (
    <iframe
      className="mail"
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={buildMailDocument(html, colors)}
      title={title}
      height={height}
      style={{ maxWidth: width ?? '100%', marginInline: 'auto', colorScheme: colors }}
    />
  )
}
