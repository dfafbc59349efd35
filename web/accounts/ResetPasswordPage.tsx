import { Anchor, Card, Container, PasswordInput, Stack, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router'
import { authTexts } from '../../shared/auth.ts'
import { ApiError } from '../api.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { Notice } from '../ui/Notice.tsx'
import { isSaidAtField, showPassword } from './fields.ts'
import { NewPassword } from './NewPassword.tsx'
import { useResetPassword, wordsOf } from './queries.ts'
import { checkNewPassword } from './rules.ts'
import { SubmitButton, useWait } from './wait.tsx'

const REDIRECT_MS = 3_000

export function ResetPasswordPage() {
  const token = useSearchParams()[0].get('token') ?? ''
  return (
    <BarePage title="Choose a new password">
      <Container size={440} p={0}>
        <Card padding="xl">
          <Stack gap="lg">
            <Title order={1}>Choose a new password</Title>
            {token === '' ? (
              <Notice tone="bad">
                {authTexts.invalidResetLink} <NewLink />
              </Notice>
            ) : (
              <ResetForm token={token} />
            )}
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}

const NewLink = () => <Link to="/login?forgot">Request a new link</Link>

function ResetForm({ token }: { token: string }) {
  const reset = useResetPassword()
  const wait = useWait()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', repeated: '' },
    validate: (values) => checkNewPassword(values),
  })
  if (reset.isSuccess) return <ResetDone message={reset.data.message} />
  const submit = form.onSubmit(({ password }: { password: string }) => {
    const onError = (error: Error) => {
      wait.note(error)
      if (error instanceof ApiError) form.setErrors(error.fields)
    }
    reset.mutate({ token, password }, { onError })
  })
  const failure = wait.isOver(reset.error) || isSaidAtField(reset.error as ApiError | null) ? null : reset.error
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
            {wordsOf(failure, authTexts.resetFailed)}{' '}
            {failure instanceof ApiError && failure.message === authTexts.invalidResetLink && <NewLink />}
          </Notice>
        )}
        <SubmitButton label="Set new password" isBusy={reset.isPending} waitS={wait.waitS} />
      </Stack>
    </form>
  )
}

function ResetDone({ message }: { message: string }) {
  useEffect(() => {
    // The landing page is no part of the app (A 2.5).
    const timer = setTimeout(() => location.replace('/landing.html'), REDIRECT_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack gap="md">
      <Notice tone="good" isLive>
        {message}
      </Notice>
      <Anchor component={Link} to="/login">
        Sign in now
      </Anchor>
    </Stack>
  )
}
