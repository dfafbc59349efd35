import { queryOptions, useQuery } from '@tanstack/react-query'

import * as api from '../../../shared/delivery/mail-server.ts'
import { call } from '../../core/api/api.ts'

export const mailServerQuery = queryOptions({
  queryKey: ['mail-server'],
  queryFn: ({ signal }): Promise<api.MailServerView> => call(api.readMailServer, { signal }),
})

export const useMailServer = (isEnabled = true) => useQuery({ ...mailServerQuery, enabled: isEnabled })
