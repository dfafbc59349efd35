import { Anchor, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useRef } from 'react'
import { authTexts } from '../../shared/auth.ts'
import { secondFactorTexts } from '../../shared/second-factor.ts'
import { useInstance } from '../access/queries.ts'
import { ApiError } from '../api.ts'
import { Notice } from '../ui/Notice.tsx'
import { CodeField } from './CodeField.tsx'
import { isSaidAtField } from './fields.ts'
import { getErrorText, useLogin } from './queries.ts'
import { SubmitButton, useWait } from './wait.tsx'

/** Credentials of the first step, kept in memory until the second step is done. */
export interface FirstStep {
  email: string
  password: string
  isRemembered: boolean
}

/** The second step of signing in (decision 90). */
export function CodeForm({ given, onBack }: { given: FirstStep; onBack: () => void }) {
  const signIn = useLogin()
  const wait = useWait()
  const support = useInstance()?.supportEmail
  const field = useRef<HTMLInputElement>(null)
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { code: '' },
    validate: { code: (text: string) => (text.trim() === '' ? secondFactorTexts.codeNeeded : null) },
  })
  const submit = form.onSubmit(
    ({ code }: { code: string }) =>
      signIn.mutate(
        { ...given, code },
        {
          onError: (error) => {
            wait.note(error)
            if (error instanceof ApiError) form.setErrors(error.fields)
            field.current?.select()
          },
        },
      ),
    () => field.current?.focus(),
  )
  const failure = wait.isOver(signIn.error) || isSaidAtField(signIn.error as ApiError | null) ? null : signIn.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <CodeField autoFocus ref={field} key={form.key('code')} {...form.getInputProps('code')} />
        {failure && (
          <Notice tone="bad" isLive>
            {getErrorText(failure, authTexts.loginFailed)}
          </Notice>
        )}
        <SubmitButton label="Sign in" isBusy={signIn.isPending} waitS={wait.waitS} />
        <Text fz="sm" ta="center">
          <Anchor component="button" type="button" inherit onClick={onBack}>
            Back to sign-in
          </Anchor>
          {support && (
            <Text span fz="xs" c="dimmed" display="block" mt="sm">
              No phone and no recovery codes? Write to {support}.
            </Text>
          )}
        </Text>
      </Stack>
    </form>
  )
}
