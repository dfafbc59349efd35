import { Button, Group, PasswordInput } from '@mantine/core'
import type { ReactNode } from 'react'

import { ApiError } from '../../core/api/api.ts'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'

interface SecretProps {
  label: string
  isSaved: boolean
  value?: string
  error?: React.ReactNode
  onChange?: (event: React.ChangeEvent<HTMLInputElement>) => void
}

/** The server never returns secrets: an empty field keeps the stored one. */
export function SecretInput({ label, isSaved, ...input }: SecretProps) {
  return (
    <PasswordInput
      label={label}
      {...(isSaved && { description: 'Saved, but not shown. Leave empty to keep it.' })}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide: ${label}`, tabIndex: 0 }}
      {...input}
    />
  )
}

interface FormEndingProps {
  /** Why the last save failed. */
  problem: ReactNode
  isSaving: boolean
  /** Button to remove the stored credentials. */
  children: ReactNode
}

/** End of every credentials form. */
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

/** Marks the fields the server refused and focuses the first. */
export function showRefusal(form: { setErrors: (errors: Record<string, string>) => void }, error: Error): void {
  if (!(error instanceof ApiError)) return
  form.setErrors(error.fields)
  focusFirstError()
}
