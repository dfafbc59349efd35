import { Anchor, Button, Card, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCopy } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { Notice } from '../../core/ui/Notice.tsx'
import { COPY_FAILED, type PushActionResult, succeeded } from './rules.ts'

// Building blocks of both screens.

interface SectionProps {
  id: string
  title: string
  text?: ReactNode
  /** Part of another card: no frame of its own. */
  isPart?: boolean
  children: ReactNode
}

export function Section({ id, title, text, isPart = false, children }: SectionProps) {
  const content = (
    <>
      <Title order={isPart ? 3 : 2} id={`push-${id}`}>
        {title}
      </Title>
      {text && (
        <Text fz="sm" c="dimmed" mt={4}>
          {text}
        </Text>
      )}
      <div className="push-section">{children}</div>
    </>
  )
  return isPart ? (
    <section aria-labelledby={`push-${id}`} className="push-part">
      {content}
    </section>
  ) : (
    <Card component="section" aria-labelledby={`push-${id}`} className="push-card">
      {content}
    </Card>
  )
}

/** A success is a line beside its button, a failure a notice. */
export function Outcome({ result }: { result: PushActionResult | null }) {
  if (!result) return null
  if (!result.isGood)
    return (
      <Notice tone="bad" isLive>
        {result.text}
      </Notice>
    )
  return (
    <span role="status" className="push-done tone-good">
      <IconCircleCheck size={16} aria-hidden />
      {result.text}
    </span>
  )
}

interface DeveloperProps {
  text: string
  /** Folded when a shop works without it. */
  isOpen: boolean
  children: ReactNode
}

/** Keys and code, which a shop with the plugin never needs. Folding is left to the user once the page is open. */
export function Developer({ text, isOpen, children }: DeveloperProps) {
  const [wasOpen] = useState(isOpen)
  return (
    <details className="push-dev" open={wasOpen}>
      <summary>
        <Title order={2}>Developer</Title>
        <Text span fz="sm" c="dimmed">
          {text}
        </Text>
      </summary>
      <div className="push-dev-parts">{children}</div>
    </details>
  )
}

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
    <Anchor component={Link} to="/store-setup" fz="sm">
      Connect your store
    </Anchor>{' '}
    to set up web push.
  </Notice>
)

export const NotAllowed = () => (
  <Notice tone="info">Your role can see these settings. Only an owner or admin can change them.</Notice>
)
