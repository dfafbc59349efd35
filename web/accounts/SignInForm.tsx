import { Anchor, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link } from 'react-router'
import { authTexts } from '../../shared/auth.ts'
import { ApiError } from '../api.ts'
import { Countdown, useCountdown } from '../ui/Countdown.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useLogin, useRegister, wordsOf } from './queries.ts'
import { checkSignIn } from './rules.ts'

export function SignInForm({ mode, onForgot }: { mode: 'login' | 'register'; onForgot: () => void }) {
  const isRegistering = mode === 'register'
  const signIn = useLogin()
  const signUp = useRegister()
  const asked = isRegistering ? signUp : signIn
  const [waitUntil, setWaitUntil] = useState<number | null>(null)
  const waitS = useCountdown(waitUntil)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', email: '', password: '', repeated: '', isRemembered: true },
    validate: (values) => checkSignIn(mode, values),
  })
  const submit = form.onSubmit((values) => {
    const onError = (error: Error) => {
      if (!(error instanceof ApiError)) return
      form.setErrors(error.fields)
      if (error.retryAfterS) setWaitUntil(Date.now() + error.retryAfterS * 1_000)
    }
    asked.mutate(values, { onError })
  })
  const password = { autoComplete: isRegistering ? 'new-password' : 'current-password', visibilityToggleButtonProps }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isRegistering && (
          <TextInput
            label="Name"
            autoComplete="name"
            required
            withAsterisk={false}
            key={form.key('name')}
            {...form.getInputProps('name')}
          />
        )}
        <TextInput
          label="Email"
          type="email"
          autoComplete={isRegistering ? 'email' : 'username'}
          required
          withAsterisk={false}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          {...(isRegistering && { description: 'At least 6 characters' })}
          required
          withAsterisk={false}
          {...password}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        {isRegistering && (
          <PasswordInput
            label="Repeat password"
            required
            withAsterisk={false}
            {...password}
            key={form.key('repeated')}
            {...form.getInputProps('repeated')}
          />
        )}
        <Group justify="space-between" gap="sm">
          <Checkbox
            label="Remember me"
            key={form.key('isRemembered')}
            {...form.getInputProps('isRemembered', { type: 'checkbox' })}
          />
          {!isRegistering && (
            <Anchor component="button" type="button" fz="sm" onClick={onForgot}>
              Forgot password?
            </Anchor>
          )}
        </Group>
        {asked.error && (
          <Notice tone="bad" isLive>
            {wordsOf(asked.error, isRegistering ? authTexts.registrationFailed : authTexts.loginFailed)}
          </Notice>
        )}
        <Button type="submit" size="md" loading={asked.isPending} disabled={waitS !== null}>
          {waitS !== null ? (
            <>
              Try again in&nbsp;
              <Countdown seconds={waitS} />
            </>
          ) : isRegistering ? (
            'Create account'
          ) : (
            'Sign in'
          )}
        </Button>
        <OtherMode isRegistering={isRegistering} />
      </Stack>
    </form>
  )
}

const visibilityToggleButtonProps = { 'aria-label': 'Show or hide the password', tabIndex: 0 }

function OtherMode({ isRegistering }: { isRegistering: boolean }) {
  return (
    <Text fz="sm" ta="center">
      {isRegistering ? 'You have an account? ' : 'New here? '}
      <Anchor component={Link} to={isRegistering ? '/login' : '/register'} inherit underline="always">
        {isRegistering ? 'Sign in' : 'Create an account'}
      </Anchor>
      {isRegistering && (
        <Text span fz="xs" c="dimmed" display="block" mt="sm">
          By creating an account you agree to the{' '}
          <Anchor component={Link} to="/terms" inherit underline="always">
            terms
          </Anchor>
          .
        </Text>
      )}
    </Text>
  )
}
