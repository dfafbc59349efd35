import { Anchor, Button, Card, Text, Title } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Notice } from '../../core/ui/Notice.tsx'
import { COPY_FAILED, type PushActionResult, succeeded } from './rules.ts'

// Building blocks of the cards of both screens.

interface SectionProps {
  id: string
  title: string
  text?: ReactNode
  children: ReactNode
}

export const Section = ({ id, title, text, children }: SectionProps) => (
  <Card component="section" aria-labelledby={`push-${id}`}>
    <Title order={2} id={`push-${id}`}>
      {title}
    </Title>
    {text && (
      <Text fz="sm" c="dimmed" mt={4}>
        {text}
      </Text>
    )}
    <div className="push-section">{children}</div>
  </Card>
)

export const Outcome = ({ result }: { result: PushActionResult | null }) =>
  result && (
    <Notice tone={result.isGood ? 'good' : 'bad'} isLive>
      {result.text}
    </Notice>
  )

interface CodeProps {
  /** null: nothing to copy yet. */
  code: string | null
  /** Accessible name of the box. */
  name: string
  label: string
  copied: string
  /** Placeholder. */
  missing: string
  onResult: (result: PushActionResult) => void
  children?: ReactNode
}

/** Code to read and copy. */
export function CodeBox({ code, name, label, copied, missing, onResult, children }: CodeProps) {
  const copy = () =>
    navigator.clipboard.writeText(code ?? '').then(
      () => onResult(succeeded(copied)),
      () => onResult(COPY_FAILED),
    )
  return (
    <div>
      <textarea
        className="push-code"
        aria-label={name}
        readOnly
        spellCheck={false}
        value={code ?? ''}
        placeholder={missing}
        rows={Math.min(12, Math.max(2, (code ?? '').split('\n').length))}
      />
      <div className="snippet-ways">
        <Button
          variant="default"
          size="sm"
          disabled={code === null}
          onClick={copy}
          leftSection={<IconCopy size={16} aria-hidden />}
        >
          {label}
        </Button>
        {children}
      </div>
    </div>
  )
}

/** Decision 132: before a store is connected, everything is visible but disabled. */
export const NoStore = () => (
  <Notice tone="info" title="No store is connected yet">
    Web push belongs to a store.{' '}
    <Anchor component={Link} to="/store-setup" fz="sm">
      Connect your store
    </Anchor>{' '}
    to use these forms.
  </Notice>
)

export const NotAllowed = () => (
  <Notice tone="info">Your role can look at these settings, and not change them. Ask an owner or admin.</Notice>
)
