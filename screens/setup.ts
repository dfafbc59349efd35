import './app.ts'

// Resources a worker opens before its first file do not count as leaks (`test/leak-check.ts`).
