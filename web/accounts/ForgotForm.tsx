import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { authTexts } from '../../shared/auth.ts'
import { Notice } from '../ui/Notice.tsx'
import { useForgotPassword, wordsOf } from './queries.ts'
import { checkSignIn } from './rules.ts'
import { SubmitButton, useWait } from './wait.tsx'

interface Props {
  email: string
  onEmail: (email: string) => void
  onBack: () => void
}

export function ForgotForm({ email, onEmail, onBack }: Props) {
  const forgot = useForgotPassword()
  const wait = useWait()
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', email, password: '', repeated: '' },
    validate: (values) => checkSignIn('forgot', values),
    onValuesChange: (values) => onEmail(values.email),
  })
  // The button that led here is gone: the keyboard goes on in the field.
  useEffect(() => field.current?.focus(), [])
  const failure = wait.isOver(forgot.error) ? null : forgot.error
  return (
    <form
      onSubmit={form.onSubmit(({ email }: { email: string }) => forgot.mutate(email, { onError: wait.note }))}
      noValidate
    >
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
            {wordsOf(failure, authTexts.forgotFailed)}
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
