import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { authTexts } from '../../shared/auth.ts'
import { ApiError } from '../api.ts'
import { Notice } from '../ui/Notice.tsx'
import { isSaidAtField } from './fields.ts'
import { getErrorText, useForgotPassword } from './queries.ts'
import { checkSignIn } from './rules.ts'
import { SubmitButton, useWait } from './wait.tsx'

interface Props {
  email: string
  onEmail: (email: string) => void
  onBack: () => void
}

export function ForgotForm({ email, onEmail, onBack }: Props) {
  const { form, forgot, submit, wait } = useForgotForm(email, onEmail)
  const field = useRef<HTMLInputElement>(null)
  // The button that had the focus is gone; move the focus to the field.
  useEffect(() => field.current?.focus(), [])
  const failure = wait.isOver(forgot.error) || isSaidAtField(forgot.error as ApiError | null) ? null : forgot.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          ref={field}
          label="Email"
          name="email"
          type="email"
          inputMode="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        {failure && (
          <Notice tone="bad" isLive>
            {getErrorText(failure, authTexts.forgotFailed)}
          </Notice>
        )}
        {forgot.data && (
          <Notice tone="good" isLive>
            {forgot.data.message}
          </Notice>
        )}
        <SubmitButton
          label={forgot.data ? 'Send another link' : 'Send reset link'}
          isBusy={forgot.isPending}
          waitS={wait.waitS}
        />
        <Button variant="subtle" onClick={onBack}>
          Back to sign-in
        </Button>
      </Stack>
    </form>
  )
}

function useForgotForm(email: string, onEmail: (email: string) => void) {
  const forgot = useForgotPassword()
  const wait = useWait()
  const [asked, setAsked] = useState<string | null>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', email, password: '', repeated: '' },
    validate: (values) => checkSignIn('forgot', values),
    onValuesChange: (values) => {
      onEmail(values.email)
      if (asked === null || values.email.trim() === asked) return
      // The answer was about the previous address, and links are limited per address.
      setAsked(null)
      forgot.reset()
      wait.clear()
    },
  })
  const submit = form.onSubmit(({ email }: { email: string }) => {
    setAsked(email.trim())
    const onError = (error: Error) => {
      wait.note(error)
      if (error instanceof ApiError) form.setErrors(error.fields)
    }
    forgot.mutate(email, { onError })
  })
  return { form, forgot, submit, wait }
}
