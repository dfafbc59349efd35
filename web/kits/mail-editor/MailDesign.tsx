import { Button, Group, Stack, Text } from '@mantine/core'
import { IconPalette, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import { isDesigned, type MailDocument } from '../../../shared/messages/mail-document.ts'
import { formatVariables } from '../flows/rules.ts'
import { needsCoupon, openText, readSubject } from './documents.ts'
import { EditMail } from './EditMail.tsx'
import { findMailProblems } from './problems.ts'

interface Props {
  /** Of the editor: "First reminder". */
  title: string
  /** The stored document, or the text as blocks. undefined: only the text is known. */
  design: MailDocument | null | undefined
  text: { subject: string; body: string }
  /** Of its messages, for previews and tests. */
  coupon?: StepCoupon | null | undefined
  isReadOnly?: boolean
  onChange: (design: MailDocument) => void
  /** Back to subject and text. */
  onText: () => void
}

/** Leads to the editor of an email. The fields of its text are shown until it is designed. */
export function MailDesign({ title, design, text, coupon, isReadOnly = false, onChange, onText }: Props) {
  const [edited, setEdited] = useState<MailDocument | null>(null)
  const document = design ?? null
  const isOwn = isDesigned(document)
  if (isReadOnly && !isOwn) return null
  const problems = isOwn ? findMailProblems(document) : []
  return (
    <>
      <Stack gap="xs" className="mail-design">
        {isOwn && (
          <Text fw={600} lineClamp={2}>
            {formatVariables(readSubject(document)) || 'No subject'}
          </Text>
        )}
        {isOwn && coupon === null && needsCoupon(document) && (
          <Text fz="sm" c="var(--rc-warn)">
            It has coupon parts, but no coupon is chosen. They are left out.
          </Text>
        )}
        {problems.length > 0 && (
          <Text fz="sm" c="var(--rc-bad)" fw={550}>
            {problems.length === 1
              ? `${problems[0]!.where}: ${problems[0]!.text}`
              : `${problems.length} problems to solve before it is sent`}
          </Text>
        )}
        <Group gap="sm">
          {!isReadOnly && (
            <Button
              variant={isOwn ? 'filled' : 'default'}
              leftSection={isOwn ? <IconPencil size={16} aria-hidden /> : <IconPalette size={16} aria-hidden />}
              onClick={() => setEdited(document ?? openText(text))}
            >
              {isOwn ? 'Edit email' : 'Design the email'}
            </Button>
          )}
          {!isReadOnly && isOwn && (
            <Button variant="subtle" size="compact-sm" onClick={onText}>
              Edit as text
            </Button>
          )}
        </Group>
        {!isOwn && (
          <Text fz="xs" c="dimmed">
            With pictures, products, a coupon and your brand, as it will look.
          </Text>
        )}
      </Stack>
      {edited && (
        <EditMail title={title} document={edited} coupon={coupon} onChange={onChange} onClose={() => setEdited(null)} />
      )}
    </>
  )
}
