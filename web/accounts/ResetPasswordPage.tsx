import { Anchor, Button, Card, Container, PasswordInput, Stack, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router'
import { authTexts } from '../../shared/auth.ts'
import { ApiError } from '../api.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useResetPassword, wordsOf } from './queries.ts'
import { checkNewPassword } from './rules.ts'

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
                {authTexts.invalidResetLink} <Link to="/login">Go to sign-in</Link>
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

function ResetForm({ token }: { token: string }) {
  const reset = useResetPassword()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '', repeated: '' },
    validate: (values) => checkNewPassword(values),
  })
  if (reset.isSuccess) return <ResetDone message={reset.data.message} />
  const submit = form.onSubmit(({ password }: { password: string }) => {
    const onError = (error: Error) => error instanceof ApiError && form.setErrors(error.fields)
    reset.mutate({ token, password }, { onError })
  })
  const common = { autoComplete: 'new-password', required: true, withAsterisk: false, visibilityToggleButtonProps }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <PasswordInput
          label="New password"
          description="At least 6 characters"
          {...common}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <PasswordInput
          label="Repeat new password"
          {...common}
          key={form.key('repeated')}
          {...form.getInputProps('repeated')}
        />
        {reset.error && (
          <Notice tone="bad" isLive>
            {wordsOf(reset.error, authTexts.resetFailed)}
          </Notice>
        )}
        <Button type="submit" size="md" loading={reset.isPending}>
          Set new password
        </Button>
      </Stack>
    </form>
  )
}

const visibilityToggleButtonProps = { 'aria-label': 'Show or hide the password', tabIndex: 0 }

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
