import { PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import type { useForm } from '@mantine/form'
import { useState } from 'react'
import type { ShopifyForm } from './shopify-rules.ts'

type FormOfKeys = Pick<
  ReturnType<typeof useForm<ShopifyForm>>,
  'setFieldValue' | 'clearErrors' | 'key' | 'getInputProps'
>

type FieldName = Exclude<keyof ShopifyForm, 'store_url' | 'kind'>

const kinds = [
  { value: 'app', label: 'Client ID and secret' },
  { value: 'token', label: 'Access token' },
]

/** The selected kind, shared with the help beside it. */
export function useCredentialKind(
  form: Pick<ReturnType<typeof useForm<ShopifyForm>>, 'getValues' | 'watch'>,
): ShopifyForm['kind'] {
  const [kind, setKind] = useState(form.getValues().kind)
  form.watch('kind', ({ value }) => setKind(value))
  return kind
}

/** The two kinds of credentials; switching keeps the input of both. */
export function ShopifyKeyFields({ form, kind }: { form: FormOfKeys; kind: ShopifyForm['kind'] }) {
  const choose = (value: string) => {
    form.setFieldValue('kind', value as ShopifyForm['kind'])
    form.clearErrors()
  }
  const field = (name: FieldName) => ({
    key: form.key(name),
    ...form.getInputProps(name),
    required: true,
    withAsterisk: false,
    spellCheck: false,
    autoComplete: 'off',
  })
  const secret = (label: string) => ({
    label,
    visibilityToggleButtonProps: { 'aria-label': `Show or hide the ${label.toLowerCase()}`, tabIndex: 0 },
  })
  return (
    <Stack gap="md">
      <SegmentedControl fullWidth data={kinds} value={kind} onChange={choose} aria-label="Credential type" />
      {kind === 'app' ? (
        <>
          <TextInput label="Client ID" {...field('client_id')} />
          <PasswordInput {...secret('Client secret')} {...field('client_secret')} />
        </>
      ) : (
        <>
          <Text fz="sm" c="dimmed">
            For a custom app created in the Shopify admin before 2026. New ones cannot be created there.
          </Text>
          <PasswordInput {...secret('Access token')} placeholder="shpat_…" {...field('access_token')} />
          <PasswordInput {...secret('API secret key')} {...field('api_secret')} />
        </>
      )}
    </Stack>
  )
}
