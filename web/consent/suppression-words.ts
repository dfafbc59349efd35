import type { SuppressionEntry } from '../../shared/suppressions.ts'

// Where an entry came from, in words. Pure.

const SOURCES: Record<string, string> = {
  'by hand': 'added by hand',
  'one-click': 'with the unsubscribe button of their mail program',
  'unsubscribe page': 'on the unsubscribe page',
  'preference page': 'on the preference page',
  smtp: 'the mail server refused the address',
  dsn: 'a mail came back',
  arf: 'told by their mail provider',
  sms: 'told by the SMS provider',
  whatsapp: 'told by the WhatsApp provider',
  ses: 'told by Amazon SES',
  postmark: 'told by Postmark',
  sendgrid: 'told by SendGrid',
  mailgun: 'told by Mailgun',
  erasure: 'erased on request',
}

/** `file old.csv` is how a file is named; what is not known is said as it stands. */
export function sourceWords({ source, addedBy }: Pick<SuppressionEntry, 'source' | 'addedBy'>): string {
  const words = source.startsWith('file')
    ? source.replace(/^file ?/, 'from the file ').trim()
    : (SOURCES[source] ?? source)
  return addedBy ? `${words} (${addedBy})` : words
}
