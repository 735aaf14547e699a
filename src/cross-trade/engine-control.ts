// The engine of this process, as commands see it. To what runs in another process they speak through its heartbeat file.
export interface EngineControl {
  /** Whether it runs in this process. */
  isRunning(): boolean
  /**
   * Runs until it is stopped or the process ends.
   * @param force although a page leads
   * @throws {CrossTradeError} another engine runs, or a page leads @throws {StoreError}
   */
  start(options: { readonly force: boolean }): Promise<void>
}
