import { Anchor, Card, Container, Stack, Title } from '@mantine/core'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router'
import { authTexts } from '../../../shared/access/auth.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { NewPasswordForm } from './NewPasswordForm.tsx'
import { useResetPassword } from './queries.ts'

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
  if (reset.isSuccess) return <ResetDone message={reset.data.message} />
  return (
    <NewPasswordForm
      label="Set new password"
      fallback={authTexts.resetFailed}
      isBusy={reset.isPending}
      error={reset.error}
      onSubmit={(password, options) => reset.mutate({ token, password }, options)}
      remedy={(error) => error.message === authTexts.invalidResetLink && <NewLink />}
    />
  )
}

function ResetDone({ message }: { message: string }) {
  useEffect(() => {
    // The landing page is outside the app (A 2.5).
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
