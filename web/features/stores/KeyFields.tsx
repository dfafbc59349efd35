import { Button, PasswordInput, TextInput } from '@mantine/core'
import type { useForm } from '@mantine/form'
import { useState } from 'react'
import { areKeysSwapped } from '../../../shared/access/store-problems.ts'
import { storeTexts } from '../../../shared/access/stores.ts'
import { announce } from '../../core/ui/announce.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import type { KeysForm } from './rules.ts'

type FormOfKeys = Pick<
  ReturnType<typeof useForm<KeysForm>>,
  'getValues' | 'setValues' | 'clearErrors' | 'key' | 'getInputProps' | 'watch'
>

/** Consumer key and secret, with a button to swap them if pasted the wrong way round. */
export function KeyFields({ form }: { form: FormOfKeys }) {
  const [isSwapped, setSwapped] = useState(false)
  const check = () => {
    const { consumer_key, consumer_secret } = form.getValues()
    setSwapped(areKeysSwapped(consumer_key, consumer_secret))
  }
  form.watch('consumer_key', check)
  form.watch('consumer_secret', check)
  const swap = () => {
    const { consumer_key, consumer_secret } = form.getValues()
    form.setValues({ consumer_key: consumer_secret, consumer_secret: consumer_key })
    form.clearErrors()
    setSwapped(false)
    announce('Key and secret are swapped.')
  }
  const field = (name: 'consumer_key' | 'consumer_secret') => ({
    key: form.key(name),
    ...form.getInputProps(name),
    required: true,
    withAsterisk: false,
    spellCheck: false,
    autoComplete: 'off',
  })
  return (
    <>
      <TextInput label="Consumer key" placeholder="ck_…" {...field('consumer_key')} />
      <PasswordInput
        label="Consumer secret"
        placeholder="cs_…"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret', tabIndex: 0 }}
        {...field('consumer_secret')}
      />
      {isSwapped && (
        <Notice tone="warn" isLive>
          {storeTexts.keysSwapped}
          <Button size="compact-sm" variant="default" mt={6} display="block" onClick={swap}>
            Swap key and secret
          </Button>
        </Notice>
      )}
    </>
  )
}
