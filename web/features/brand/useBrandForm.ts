import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type BrandFields, findBrandProblems } from '../../../shared/messages/brand.ts'
import type { BrandView } from '../../../shared/workspace/brand-calls.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { ApiError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { focusFirstError } from '../../core/ui/focusFirstError.ts'
import { brandQuery, useSaveBrand } from './queries.ts'
import { normalizeBrand } from './rules.ts'

/** The brand settings as a form. The logo is separate: it applies as soon as it is uploaded or confirmed. */
export function useBrandForm(storeId: string, view: BrandView) {
  const queries = useQueryClient()
  const save = useSaveBrand(storeId)
  const [version, setVersion] = useState(view.version)
  const form = useForm<BrandFields>({ initialValues: view.look, validate: findBrandProblems })
  const take = (next: BrandView, values: BrandFields) => {
    setVersion(next.version)
    form.setInitialValues(next.look)
    form.setValues(values)
  }
  useDraft(`brand:${storeId}`, form.isDirty() ? form.getValues() : null, form.setValues)
  // After a refetch or a save in another tab, untouched fields take the new values.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer state of the brand is what triggers it
  useEffect(() => {
    if (view.version === version || form.isDirty() || save.isPending) return
    take(view, view.look)
  }, [view])
  const submit = () => {
    if (form.validate().hasErrors) return focusFirstError()
    save.mutate(
      { brand: normalizeBrand(form.getValues()), version },
      {
        onSuccess: (saved) => {
          take(saved, saved.look)
          announce('Brand saved')
        },
        onError: async (error) => {
          if (!(error instanceof ApiError)) return
          form.setErrors(error.fields)
          focusFirstError()
          if (error.code === 'conflict') {
            const theirs = await queries.fetchQuery({ ...brandQuery(storeId), staleTime: 0 })
            // Discarded during the refetch: keep no local changes.
            take(theirs, form.isDirty() ? form.getValues() : theirs.look)
          }
        },
      },
    )
  }
  const discard = () => {
    save.reset()
    form.reset()
  }
  return { form, save, submit, discard }
}

export type BrandFormState = ReturnType<typeof useBrandForm>['form']
