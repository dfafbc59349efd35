import { PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { ApiError, getErrorText, hasFieldError } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { showPassword } from './fields.ts'
import { NewPassword } from './NewPassword.tsx'
import { checkNewPassword } from './rules.ts'
import { SubmitButton, useWait } from './wait.tsx'

interface Props {
  label: string
  /** Fallback when the server gave no reason. */
  fallback: string
  isBusy: boolean
  error: Error | null
  onSubmit: (password: string, options: { onError: (error: Error) => void }) => void
  /** Shown beside the reason: what to do next. */
  remedy?: (error: Error) => ReactNode
}

/** Form for a new password, typed twice. */
export function NewPasswordForm({ label, fallback, isBusy, error, onSubmit, remedy }: Props) {
  const wait = useWait()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', repeated: '' },
    validate: (values) => checkNewPassword(values),
  })
  const submit = form.onSubmit(({ password }: { password: string }) => {
    const onError = (problem: Error) => {
      wait.note(problem)
      if (problem instanceof ApiError) form.setErrors(problem.fields)
    }
    onSubmit(password, { onError })
  })
  const failure = wait.isOver(error) || hasFieldError(error as ApiError | null) ? null : error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NewPassword
          label="New password"
          name="password"
          required
          withAsterisk={false}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label="Repeat new password"
          name="repeated"
          autoComplete="new-password"
          required
          withAsterisk={false}
          {...showPassword}
          key={form.key('repeated')}
          {...form.getInputProps('repeated')}
        />
        {failure && (
          <Notice tone="bad" isLive>
            {getErrorText(failure, fallback)} {remedy?.(failure)}
          </Notice>
        )}
        <SubmitButton label={label} isBusy={isBusy} waitS={wait.waitS} />
      </Stack>
    </form>
  )
}
