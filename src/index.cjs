/**
 * `require('respd')`: the same createServer for programs and test runners that load CommonJS. The server is made of ES
 * modules, which `import()` loads; Jest runs tests in a context without it, where the main context is asked to import.
 */
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const vm = require('node:vm')

/** @typedef {typeof import('./index.ts', { with: { 'resolution-mode': 'import' } })} Respd */
/** @typedef {import('./index.ts', { with: { 'resolution-mode': 'import' } }).RespdServer} RespdServer */
/** @typedef {import('./index.ts', { with: { 'resolution-mode': 'import' } }).ServerClock} ServerClock */
/** @typedef {import('./index.ts', { with: { 'resolution-mode': 'import' } }).ServerOptions} ServerOptions */

/** @returns {Promise<Respd>} */
async function load() {
  try {
    return await import('./index.ts')
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code !== 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG') throw error
    const url = pathToFileURL(path.join(__dirname, 'index.js')).href
    const importModuleDynamically = vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
    return vm.runInThisContext('(url) => import(url)', { importModuleDynamically })(url)
  }
}

/** @type {Respd['createServer']} */
exports.createServer = async (options) => (await load()).createServer(options)
