extension HTTPClientError {
    init(_ refusal: TransferQueue<TransferJob>.Refusal) {
        switch refusal {
        case .full(let limit): self = .overloaded(limit: limit)
        case .ownerFull(let limit): self = .ownerOverloaded(limit: limit)
        }
    }
}
