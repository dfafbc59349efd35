import { Button, Group, PasswordInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { TextChannelView } from '../../shared/text-channels.ts'
import { ApiError } from '../api.ts'
import { focusFirstError } from '../ui/focusFirstError.ts'
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
      {...(isKept && { description: 'Saved, but not shown. Leave empty to keep it.' })}
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
    <Notice tone="bad" title={isAnswer ? `Not saved: answer from ${provider}` : 'Not saved'} isLive>
      {error.message}
    </Notice>
  )
}

interface FormEndingProps {
  /** Why the last saving did not happen. */
  problem: ReactNode
  isSaving: boolean
  /** The way to remove what is kept. */
  children: ReactNode
}

/** What credentials' forms end with. */
export const FormEnding = ({ problem, isSaving, children }: FormEndingProps) => (
  <>
    {problem}
    <Group gap="xs">
      <Button type="submit" loading={isSaving}>
        Check and save
      </Button>
      {children}
    </Group>
  </>
)

/** Fields the server refused say so, and the first of them has the focus. */
export function showRefusal(form: { setErrors: (errors: Record<string, string>) => void }, error: Error): void {
  if (!(error instanceof ApiError)) return
  form.setErrors(error.fields)
  focusFirstError()
}

interface EndingProps {
  view: TextChannelView
  save: { error: Error | null; isPending: boolean }
  /** Whose answer is shown. */
  provider: string
}

/** What the provider said, and the form's buttons. */
export const CredentialsEnding = ({ view, save, provider }: EndingProps) => (
  <FormEnding problem={<SaveOutcome error={save.error} provider={provider} />} isSaving={save.isPending}>
    <RemoveChannel view={view} />
  </FormEnding>
)
