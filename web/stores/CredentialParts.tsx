import { Button, Group, PasswordInput } from '@mantine/core'
import type { TextChannelView } from '../../shared/text-channels.ts'
import { ApiError } from '../api.ts'
import { Notice } from '../ui/Notice.tsx'
import { RemoveChannel } from './TextChannelFrame.tsx'

interface SecretProps {
  label: string
  isKept: boolean
  value?: string
  error?: React.ReactNode
  onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void
}

/** Never comes back from the server: an empty field means the one that is kept. */
export function SecretInput({ label, isKept, ...input }: SecretProps) {
  return (
    <PasswordInput
      label={label}
      {...(isKept && { description: 'Kept, and not shown. Leave empty to keep it.' })}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${label}`, tabIndex: 0 }}
      {...input}
    />
  )
}

function SaveOutcome({ error, provider }: { error: Error | null; provider: string }) {
  if (!error) return null
  const isAnswer = error instanceof ApiError && error.code === 'unprocessable'
  return (
    <Notice tone="bad" title={isAnswer ? `Not saved: ${provider} answered` : 'Not saved'} isLive>
      {error.message}
    </Notice>
  )
}

interface EndingProps {
  view: TextChannelView
  save: { error: Error | null; isPending: boolean }
  /** Whose answer is shown. */
  provider: string
}

/** What the provider said, and the form's buttons. */
export function CredentialsEnding({ view, save, provider }: EndingProps) {
  return (
    <>
      <SaveOutcome error={save.error} provider={provider} />
      <Group gap="xs">
        <Button type="submit" loading={save.isPending}>
          Check and save
        </Button>
        <RemoveChannel view={view} />
      </Group>
    </>
  )
}
