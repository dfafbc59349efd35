import { Stack, Text } from '@mantine/core'
import { escapeHtml } from '../../../shared/messages/clean-text.ts'
import { compile } from '../../../shared/messages/mail-compile.ts'
import { listBlocks, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { fill } from '../../../shared/messages/mail-fill.ts'
import type { LegacyText } from '../../../shared/messages/mail-values.ts'
import { MailFrame } from '../../core/ui/MailFrame.tsx'
import type { Look } from './look.ts'
import type { View } from './Toolbar.tsx'

const PHONE_WIDTH = 360
const DESKTOP_WIDTH = 700

interface Props {
  document: MailDocument
  look: Look
  view: Exclude<View, 'edit'>
  /** The server's preview: of a cart of the store, and of a mail with HTML blocks, which only the server renders. */
  rendered: { subject: string; html: string; text: string } | null
}

/** The mail as sending makes it, for the chosen cart. */
export function Preview({ document, look, view, rendered }: Props) {
  const mail = rendered ?? fillMail(document, look)
  return (
    <Stack gap="md" className="me-preview">
      <div className="me-inbox">
        <Text fw={620} truncate>
          {mail.subject || 'No subject'}
        </Text>
        <Text fz="sm" c="dimmed" truncate>
          From {look.values.senderName}
        </Text>
      </div>
      {view === 'text' ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keys
        <pre className="snippet me-text" tabIndex={0}>
          {mail.text}
        </pre>
      ) : (
        <MailFrame
          html={mail.html}
          title="Email preview"
          height={760}
          width={view === 'phone' ? PHONE_WIDTH : DESKTOP_WIDTH}
          colors={view === 'dark' ? 'dark' : 'light'}
        />
      )}
    </Stack>
  )
}

export const hasLegacyText = (document: MailDocument): boolean =>
  !Array.isArray(document.subject) || listBlocks(document).some(({ type }) => type === 'legacy_text')

export function fillMail(document: MailDocument, { kit, language, values }: Look) {
  const compiled = compile(document, kit, document.theme, language)
  const legacyTexts = new Map(
    listBlocks(document).flatMap((block) => (block.type === 'legacy_text' ? [[block.id, quote(block.source)]] : [])),
  )
  const subject = Array.isArray(document.subject) ? {} : { subject: document.subject.source }
  return fill(compiled, { ...values, legacyTexts, ...subject })
}

/** The source, until the server's preview has come. */
const quote = (source: string): LegacyText => ({
  html: `<p style="white-space:pre-wrap">${escapeHtml(source)}</p>`,
  text: source,
  preview: '',
  links: [],
  leftOut: [],
})
