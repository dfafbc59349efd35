import { Anchor, Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link } from 'react-router'
import { authTexts } from '../../shared/auth.ts'
import { ApiError } from '../api.ts'
import { Countdown, useCountdown } from '../ui/Countdown.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useLogin, useRegister, wordsOf } from './queries.ts'
import { checkSignIn, type SignInForm as Fields } from './rules.ts'

type Values = Fields & { isRemembered: boolean }
type Form = ReturnType<typeof useSignInForm>['form']

export function SignInForm({ mode, onForgot }: { mode: 'login' | 'register'; onForgot: () => void }) {
  const isRegistering = mode === 'register'
  const { form, asked, submit, waitS } = useSignInForm(mode)
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {isRegistering && <TextInput label="Name" autoComplete="name" {...fieldOf(form, 'name')} />}
        <TextInput
          label="Email"
          type="email"
          autoComplete={isRegistering ? 'email' : 'username'}
          {...fieldOf(form, 'email')}
        />
        <Passwords form={form} isRegistering={isRegistering} />
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
        <Submit label={isRegistering ? 'Create account' : 'Sign in'} isBusy={asked.isPending} waitS={waitS} />
        <OtherMode isRegistering={isRegistering} />
      </Stack>
    </form>
  )
}

function useSignInForm(mode: 'login' | 'register') {
  const signIn = useLogin()
  const signUp = useRegister()
  const asked = mode === 'register' ? signUp : signIn
  const [waitUntil, setWaitUntil] = useState<number | null>(null)
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { name: '', email: '', password: '', repeated: '', isRemembered: true },
    validate: (values: Values) => checkSignIn(mode, values),
  })
  const onError = (error: Error) => {
    if (!(error instanceof ApiError)) return
    form.setErrors(error.fields)
    if (error.retryAfterS) setWaitUntil(Date.now() + error.retryAfterS * 1_000)
  }
  const submit = form.onSubmit((values: Values) => asked.mutate(values, { onError }))
  return { form, asked, submit, waitS: useCountdown(waitUntil) }
}

const fieldOf = (form: Form, name: keyof Fields) => ({
  key: form.key(name),
  required: true,
  withAsterisk: false,
  ...form.getInputProps(name),
})

function Passwords({ form, isRegistering }: { form: Form; isRegistering: boolean }) {
  const common = {
    autoComplete: isRegistering ? 'new-password' : 'current-password',
    visibilityToggleButtonProps: { 'aria-label': 'Show or hide the password', tabIndex: 0 },
  }
  return (
    <>
      <PasswordInput
        label="Password"
        {...(isRegistering && { description: 'At least 6 characters' })}
        {...common}
        {...fieldOf(form, 'password')}
      />
      {isRegistering && <PasswordInput label="Repeat password" {...common} {...fieldOf(form, 'repeated')} />}
    </>
  )
}

function Submit({ label, isBusy, waitS }: { label: string; isBusy: boolean; waitS: number | null }) {
  return (
    <Button type="submit" size="md" loading={isBusy} disabled={waitS !== null}>
      {waitS === null ? (
        label
      ) : (
        <>
          Try again in&nbsp;
          <Countdown seconds={waitS} />
        </>
      )}
    </Button>
  )
}

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
